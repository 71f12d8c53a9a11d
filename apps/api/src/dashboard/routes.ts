import type { Call, Handler } from '../http/framework/call.js';
import type { DashboardRoute, OwnerCall, UserCall } from './route.js';

/** What answers each route of the dashboard. */
export interface DashboardHandlers {
  readonly getDocument: Handler<Call>;
  readonly getSession: Handler<Call>;
  readonly signIn: Handler<Call>;
  readonly signUp: Handler<Call>;
  readonly signOut: Handler<Call>;
  readonly changePassword: Handler<UserCall>;
  readonly listSessions: Handler<UserCall>;
  readonly endOtherSessions: Handler<UserCall>;
  readonly getOverview: Handler<OwnerCall>;
  readonly listKeys: Handler<OwnerCall>;
  readonly createKey: Handler<OwnerCall>;
  readonly revokeKey: Handler<OwnerCall>;
  readonly rotateKey: Handler<OwnerCall>;
  readonly playground: Handler<OwnerCall>;
  readonly submitPlayground: Handler<OwnerCall>;
  readonly listOwnTasks: Handler<OwnerCall>;
  readonly getOwnTask: Handler<OwnerCall>;
  readonly getUsage: Handler<OwnerCall>;
  readonly exportUsage: Handler<OwnerCall>;
  readonly listDeliveries: Handler<OwnerCall>;
  readonly resendOwnDelivery: Handler<OwnerCall>;
  readonly getWebhookSecret: Handler<OwnerCall>;
  readonly rotateOwnWebhookSecret: Handler<OwnerCall>;
  readonly testWebhook: Handler<OwnerCall>;
}

const API = '/dashboard/api';

/** The API of the dashboard on one page. */
export function dashboardRoutes(to: DashboardHandlers): readonly DashboardRoute[] {
  const open = { access: 'open' } as const;
  const user = { access: 'user' } as const;
  const owner = { access: 'owner' } as const;
  const get = (path: string) => ({ method: 'get', path: `${API}${path}` }) as const;
  const post = (path: string) => ({ method: 'post', path: `${API}${path}` }) as const;
  const send = (path: string) => ({ ...post(path), body: 'json' }) as const;
  return [
    { ...get('/openapi.json'), ...open, handle: to.getDocument },
    { ...get('/session'), ...open, handle: to.getSession },
    { ...send('/sign-in'), ...open, handle: to.signIn },
    { ...send('/sign-up'), ...open, handle: to.signUp },
    { ...post('/sign-out'), ...open, handle: to.signOut },
    { ...send('/password'), ...user, handle: to.changePassword },
    { ...get('/sessions'), ...user, handle: to.listSessions },
    { ...post('/sessions/end-others'), ...user, handle: to.endOtherSessions },
    { ...get('/overview'), ...owner, handle: to.getOverview },
    { ...get('/keys'), ...owner, handle: to.listKeys },
    { ...send('/keys'), ...owner, handle: to.createKey },
    { ...post('/keys/:id/revoke'), ...owner, handle: to.revokeKey },
    { ...send('/keys/:id/rotate'), ...owner, handle: to.rotateKey },
    { ...get('/playground'), ...owner, handle: to.playground },
    { ...send('/generate'), ...owner, handle: to.submitPlayground },
    { ...get('/tasks'), ...owner, handle: to.listOwnTasks },
    { ...get('/tasks/:id'), ...owner, handle: to.getOwnTask },
    { ...get('/usage'), ...owner, handle: to.getUsage },
    { ...get('/usage.csv'), ...owner, handle: to.exportUsage },
    { ...get('/webhooks'), ...owner, handle: to.listDeliveries },
    { ...get('/webhooks/secret'), ...owner, handle: to.getWebhookSecret },
    { ...post('/webhooks/secret/rotate'), ...owner, handle: to.rotateOwnWebhookSecret },
    { ...send('/webhooks/test'), ...owner, handle: to.testWebhook },
    { ...post('/webhooks/:id/resend'), ...owner, handle: to.resendOwnDelivery },
  ];
}
