import type { Handler } from '../../http/framework/call.js';
import type { DashboardRoute, UserCall } from '../route.js';

/** What answers each route of the operators. */
export interface OperatorHandlers {
  readonly getSystem: Handler<UserCall>;
  readonly listAccounts: Handler<UserCall>;
  readonly getAccount: Handler<UserCall>;
  readonly credit: Handler<UserCall>;
  readonly adjust: Handler<UserCall>;
  readonly suspend: Handler<UserCall>;
  readonly resume: Handler<UserCall>;
  readonly setLimits: Handler<UserCall>;
  readonly resetOwnerPassword: Handler<UserCall>;
  readonly listTasks: Handler<UserCall>;
  readonly getTask: Handler<UserCall>;
  readonly requeue: Handler<UserCall>;
  readonly fail: Handler<UserCall>;
  readonly refund: Handler<UserCall>;
  readonly getProviders: Handler<UserCall>;
  readonly getQueues: Handler<UserCall>;
  readonly listHints: Handler<UserCall>;
  readonly runLedgerCheck: Handler<UserCall>;
  readonly listAudit: Handler<UserCall>;
}

const API = '/dashboard/api/operator';

/** The operators' part of the dashboard's API on one page. */
export function operatorRoutes(to: OperatorHandlers): readonly DashboardRoute[] {
  const access = 'operator' as const;
  const get = (path: string, handle: Handler<UserCall>): DashboardRoute => ({
    ...{ method: 'get', path: `${API}${path}`, access, handle },
  });
  const post = (path: string, handle: Handler<UserCall>): DashboardRoute => ({
    ...{ method: 'post', path: `${API}${path}`, access, handle },
  });
  const send = (path: string, handle: Handler<UserCall>): DashboardRoute => ({
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
