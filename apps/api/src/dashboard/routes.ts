import {
  type DashboardApi,
  type Envelope,
  type PublicTask,
  USAGE_FORMATS,
  type UsageFormat,
} from '@image-gateway/shared/contract';
import type { Database, Reads } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { QueueInspector } from '@image-gateway/shared/queues';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { Offers } from '../handlers/create-offers.js';
import type { Handler, KeyCall } from '../http/framework/call.js';
import type { CallerRates } from '../http/rate-limits.js';
import type { OfferSettings } from '../operations/catalog/page/view-models.js';
import type { ExportUsage } from '../operations/usage/export-usage.js';
import type { WebhookTestDeps } from '../operations/webhook/add-webhook-test.js';
import type { Auth } from './auth/create-auth.js';
import type { DeviceCookies } from './auth/device-cookies.js';
import type { SignInLimits } from './auth/sign-in-limits.js';
import { createKey } from './keys/create-key.js';
import { listKeys } from './keys/list-keys.js';
import { revokeKey } from './keys/revoke-key.js';
import { rotateKey } from './keys/rotate-key.js';
import { setKeyLimits } from './keys/set-key-limits.js';
import { limitChanges } from './limit-changes.js';
import { adjust } from './operator/accounts/adjust.js';
import { credit } from './operator/accounts/credit.js';
import { getAccount } from './operator/accounts/get-account.js';
import { listAccounts } from './operator/accounts/list-accounts.js';
import { resetOwnerPassword } from './operator/accounts/reset-owner-password.js';
import { setLimits } from './operator/accounts/set-limits.js';
import { setPassword } from './operator/accounts/set-password.js';
import { setStatus } from './operator/accounts/set-status.js';
import { postDocument, postPrices, postRollback } from './operator/catalog/change-models.js';
import { checkModels } from './operator/catalog/check-models.js';
import { getMargins } from './operator/catalog/get-margins.js';
import { getModels } from './operator/catalog/get-models.js';
import { getVersion } from './operator/catalog/get-version.js';
import { getProviders } from './operator/system/get-providers.js';
import { getQueues } from './operator/system/get-queues.js';
import { getStatus } from './operator/system/get-status.js';
import { getSystem } from './operator/system/get-system.js';
import { listAudit } from './operator/system/list-audit.js';
import { listHints } from './operator/system/list-hints.js';
import { runLedgerCheck } from './operator/system/run-ledger-check.js';
import { fail } from './operator/tasks/fail.js';
import { getTask } from './operator/tasks/get-task.js';
import { listTasks } from './operator/tasks/list-tasks.js';
import { refund } from './operator/tasks/refund.js';
import { requeue } from './operator/tasks/requeue.js';
import type { DashboardRoute, OpenHandler, OwnerCall, OwnerHandler, UserHandler } from './route.js';
import { changePassword } from './session/change-password.js';
import { endOtherSessions } from './session/end-other-sessions.js';
import { getSession } from './session/get-session.js';
import { listSessions } from './session/list-sessions.js';
import { signIn } from './session/sign-in.js';
import { signOut } from './session/sign-out.js';
import { signUp } from './session/sign-up.js';
import { cancelOwnTask } from './tasks/cancel-own-task.js';
import { deleteOwnTask } from './tasks/delete-own-task.js';
import { getOwnTask } from './tasks/get-own-task.js';
import { getPlayground } from './tasks/get-playground.js';
import { listImages } from './tasks/list-images.js';
import { listOwnTasks } from './tasks/list-own-tasks.js';
import { submitPlayground } from './tasks/submit-playground.js';
import { exportUsage } from './usage/export-usage.js';
import { getOverview } from './usage/get-overview.js';
import { getUsage } from './usage/get-usage.js';
import { getWebhookSecret } from './webhooks/get-webhook-secret.js';
import { getWebhookTest } from './webhooks/get-webhook-test.js';
import { listDeliveries } from './webhooks/list-deliveries.js';
import { resendOwnDelivery } from './webhooks/resend-own-delivery.js';
import { rotateOwnWebhookSecret } from './webhooks/rotate-own-webhook-secret.js';
import { testWebhook } from './webhooks/test-webhook.js';

/** Dependencies of all handlers of the dashboard; each takes those it needs. */
export interface DashboardDeps extends CallerRates, OfferSettings, Pick<WebhookTestDeps, 'producer'> {
  readonly db: PrismaDatabase;
  /** Connections for pages that can be long: of one account, and of operators. */
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly operatorReads: PrismaDatabase;
  /** Connection with time for statements that read everything. */
  readonly books: Pick<Database, 'run'>;
  readonly auth: Auth;
  readonly devices: DeviceCookies;
  readonly limits: SignInLimits;
  readonly limiter: RateLimiter;
  readonly inspector: QueueInspector;
  readonly exportUsage: ExportUsage;
  /** Handler of `POST /v1/generate`. */
  readonly generate: Handler<KeyCall, Envelope<PublicTask>>;
  readonly queries: QuerySchemas;
  readonly offers: Offers;
  readonly isAllowedUrl: (url: string) => boolean;
  readonly allowSignup: boolean;
  readonly baseUrl: string;
  readonly fileUrl: string;
  /** Days of RETENTION_DAYS; undefined: for ever. */
  readonly retentionDays: number | undefined;
  /** Path of invariants.sql. */
  readonly invariantsFile: string;
}

type Route = keyof DashboardApi;
type RouteWithBody = { [R in Route]: DashboardApi[R] extends { readonly body: unknown } ? R : never }[Route];

/** API of the dashboard. The types of `DashboardApi` hold each handler to its route; `form` marks routes that read a JSON body. */
export function dashboardRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  const reads = { ...deps, db: deps.operatorReads };
  return [
    open('get /session', getSession(deps)),
    form(open('post /sign-in', signIn(deps))),
    form(open('post /sign-up', signUp(deps))),
    open('post /sign-out', signOut(deps)),
    form(user('post /password', changePassword(deps))),
    user('get /sessions', listSessions(deps)),
    user('post /sessions/end-others', endOtherSessions(deps)),
    owner('get /overview', getOverview(deps)),
    owner('get /keys', listKeys(deps)),
    form(owner('post /keys', limitChanges(deps, 'access', createKey(deps)))),
    form(owner('post /keys/:id/limits', limitChanges(deps, 'access', setKeyLimits(deps)))),
    owner('post /keys/:id/revoke', limitChanges(deps, 'access', revokeKey(deps))),
    form(owner('post /keys/:id/rotate', limitChanges(deps, 'access', rotateKey(deps)))),
    owner('get /playground', getPlayground(deps)),
    form(owner('post /generate', submitPlayground(deps))),
    owner('get /tasks', listOwnTasks(deps)),
    owner('get /tasks/:id', getOwnTask(deps)),
    owner('post /tasks/:id/cancel', cancelOwnTask(deps)),
    owner('post /tasks/:id/delete', deleteOwnTask(deps)),
    owner('get /images', listImages(deps)),
    owner('get /usage', getUsage(deps)),
    ...USAGE_FORMATS.map((format) => usageFile(format, exportUsage({ ...deps, format }))),
    owner('get /webhooks', listDeliveries(deps)),
    owner('get /webhooks/secret', getWebhookSecret(deps)),
    owner('post /webhooks/secret/rotate', limitChanges(deps, 'access', rotateOwnWebhookSecret(deps))),
    form(owner('post /webhooks/test', testWebhook(deps))),
    owner('get /webhooks/tests/:id', getWebhookTest(deps)),
    owner('post /webhooks/:id/resend', limitChanges(deps, 'resends', resendOwnDelivery(deps))),
    operator('get /operator/system', getSystem(reads)),
    operator('get /operator/status', getStatus(reads)),
    operator('get /operator/accounts', listAccounts(reads)),
    operator('get /operator/accounts/:id', getAccount(reads)),
    form(operator('post /operator/accounts/:id/credit', credit(deps))),
    form(operator('post /operator/accounts/:id/adjust', adjust(deps))),
    operator('post /operator/accounts/:id/suspend', setStatus({ ...deps, status: 'suspended' })),
    operator('post /operator/accounts/:id/resume', setStatus({ ...deps, status: 'active' })),
    form(operator('post /operator/accounts/:id/limits', setLimits(deps))),
    operator('post /operator/accounts/:id/users/:user/reset-password', resetOwnerPassword(deps)),
    form(operator('post /operator/accounts/:id/set-password', setPassword(deps))),
    operator('get /operator/tasks', listTasks(reads)),
    operator('get /operator/tasks/:id', getTask(reads)),
    operator('post /operator/tasks/:id/requeue', requeue(deps)),
    form(operator('post /operator/tasks/:id/fail', fail(deps))),
    form(operator('post /operator/tasks/:id/refund', refund(deps))),
    operator('get /operator/providers', getProviders(reads)),
    operator('get /operator/models', getModels({ ...deps, ...reads })),
    operator('get /operator/models/margins', getMargins(deps)),
    operator('get /operator/models/versions/:version', getVersion(reads)),
    form(operator('post /operator/models/check', checkModels(deps))),
    form(operator('post /operator/models/apply', postDocument(deps))),
    form(operator('post /operator/models/prices', postPrices(deps))),
    form(operator('post /operator/models/rollback', postRollback(deps))),
    operator('get /operator/queues', getQueues(reads)),
    operator('get /operator/hints', listHints(deps)),
    operator('post /operator/ledger/check', runLedgerCheck({ ...deps, db: deps.books })),
    operator('get /operator/audit', listAudit(reads)),
  ];
}

const API = '/dashboard/api';

interface Place<R extends Route> {
  readonly name: R;
  readonly method: 'get' | 'post';
  readonly path: string;
}

function place<R extends Route>(name: R): Place<R> {
  const [method, path = ''] = name.split(' ');
  return { name, method: method as 'get' | 'post', path: `${API}${path}` };
}

const open = <R extends Route>(name: R, handle: OpenHandler<R>) => ({
  ...place(name),
  access: 'open' as const,
  handle,
});
const user = <R extends Route>(name: R, handle: UserHandler<R>) => ({
  ...place(name),
  access: 'user' as const,
  handle,
});
const owner = <R extends Route>(name: R, handle: OwnerHandler<R>) => ({
  ...place(name),
  access: 'owner' as const,
  handle,
});
const operator = <R extends Route>(name: R, handle: UserHandler<R>) => ({
  ...place(name),
  access: 'operator' as const,
  handle,
});
const usageFile = (format: UsageFormat, handle: Handler<OwnerCall>) => ({
  method: 'get' as const,
  path: `${API}/usage.${format}`,
  access: 'owner' as const,
  handle,
});
const form = <D extends Place<RouteWithBody>>(route: D) => ({ ...route, body: 'json' as const });
