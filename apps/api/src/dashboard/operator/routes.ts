import type { Handler } from '../../http/call.js';
import type { DashboardRoute, ViewerCall } from '../call.js';

/** What answers each route of the operators. */
export interface OperatorHandlers {
  readonly getSystem: Handler<ViewerCall>;
  readonly listAccounts: Handler<ViewerCall>;
  readonly getAccount: Handler<ViewerCall>;
  readonly credit: Handler<ViewerCall>;
  readonly adjust: Handler<ViewerCall>;
  readonly suspend: Handler<ViewerCall>;
  readonly resume: Handler<ViewerCall>;
  readonly setLimits: Handler<ViewerCall>;
  readonly resetOwnerPassword: Handler<ViewerCall>;
  readonly listTasks: Handler<ViewerCall>;
  readonly getTask: Handler<ViewerCall>;
  readonly requeue: Handler<ViewerCall>;
  readonly fail: Handler<ViewerCall>;
  readonly refund: Handler<ViewerCall>;
  readonly getProviders: Handler<ViewerCall>;
  readonly getQueues: Handler<ViewerCall>;
  readonly listHints: Handler<ViewerCall>;
  readonly runLedgerCheck: Handler<ViewerCall>;
  readonly listAudit: Handler<ViewerCall>;
}

const API = '/dashboard/api/operator';

/** The operators' part of the dashboard's API on one page. */
export function operatorRoutes(to: OperatorHandlers): readonly DashboardRoute[] {
  const access = 'operator' as const;
  const get = (path: string, handle: Handler<ViewerCall>): DashboardRoute => ({
    ...{ method: 'get', path: `${API}${path}`, access, handle },
  });
  const post = (path: string, handle: Handler<ViewerCall>): DashboardRoute => ({
    ...{ method: 'post', path: `${API}${path}`, access, handle },
  });
  const send = (path: string, handle: Handler<ViewerCall>): DashboardRoute => ({
    ...{ method: 'post', path: `${API}${path}`, body: 'json', access, handle },
  });
  return [
    get('/system', to.getSystem),
    get('/accounts', to.listAccounts),
    get('/accounts/:id', to.getAccount),
    send('/accounts/:id/credit', to.credit),
    send('/accounts/:id/adjust', to.adjust),
    post('/accounts/:id/suspend', to.suspend),
    post('/accounts/:id/resume', to.resume),
    send('/accounts/:id/limits', to.setLimits),
    post('/accounts/:id/users/:user/reset-password', to.resetOwnerPassword),
    get('/tasks', to.listTasks),
    get('/tasks/:id', to.getTask),
    post('/tasks/:id/requeue', to.requeue),
    send('/tasks/:id/fail', to.fail),
    send('/tasks/:id/refund', to.refund),
    get('/providers', to.getProviders),
    get('/queues', to.getQueues),
    get('/hints', to.listHints),
    post('/ledger/check', to.runLedgerCheck),
    get('/audit', to.listAudit),
  ];
}
