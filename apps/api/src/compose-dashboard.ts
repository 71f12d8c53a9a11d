import { MODELS } from '@image-gateway/shared/catalog';
import { getPublicUrls } from '@image-gateway/shared/config';
import type { Database, Reads } from '@image-gateway/shared/db';
import { type PrismaDatabase, withPrisma } from '@image-gateway/shared/db/prisma';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { Logger } from '@image-gateway/shared/logging';
import { checkLiteralHost, createOutbound } from '@image-gateway/shared/net';
import type { QueueBoard, QueueInspector } from '@image-gateway/shared/queues';
import { generateSchema, querySchemas } from '@image-gateway/shared/validation';
import { type Auth, createAuth } from './dashboard/auth/create-auth.js';
import { createDeviceCookies, type DeviceCookies } from './dashboard/auth/device-cookies.js';
import { createSignInLimits } from './dashboard/auth/sign-in-limits.js';
import { getBoard } from './dashboard/board/get-board.js';
import { guardRoute } from './dashboard/guard.js';
import { createKey } from './dashboard/keys/create-key.js';
import { listKeys } from './dashboard/keys/list-keys.js';
import { revokeKey } from './dashboard/keys/revoke-key.js';
import { rotateKey } from './dashboard/keys/rotate-key.js';
import { buildDashboardDocument } from './dashboard/openapi/build-dashboard-document.js';
import { composeOperator } from './dashboard/operator/compose-operator.js';
import { operatorRoutes } from './dashboard/operator/routes.js';
import { type DashboardHandlers, dashboardRoutes } from './dashboard/routes.js';
import { changePassword } from './dashboard/session/change-password.js';
import { endOtherSessions } from './dashboard/session/end-other-sessions.js';
import { getSession } from './dashboard/session/get-session.js';
import { listSessions } from './dashboard/session/list-sessions.js';
import { signIn } from './dashboard/session/sign-in.js';
import { signOut } from './dashboard/session/sign-out.js';
import { signUp } from './dashboard/session/sign-up.js';
import { getPage } from './dashboard/static/get-page.js';
import { loadPages } from './dashboard/static/load-pages.js';
import { getOwnTask } from './dashboard/tasks/get-own-task.js';
import { getPlayground } from './dashboard/tasks/get-playground.js';
import { listOwnTasks } from './dashboard/tasks/list-own-tasks.js';
import { submitPlayground } from './dashboard/tasks/submit-playground.js';
import { exportUsage } from './dashboard/usage/export-usage.js';
import { getOverview } from './dashboard/usage/get-overview.js';
import { getUsage } from './dashboard/usage/get-usage.js';
import { getWebhookSecret } from './dashboard/webhooks/get-webhook-secret.js';
import { listDeliveries } from './dashboard/webhooks/list-deliveries.js';
import { resendOwnDelivery } from './dashboard/webhooks/resend-own-delivery.js';
import { rotateOwnWebhookSecret } from './dashboard/webhooks/rotate-own-webhook-secret.js';
import { testWebhook } from './dashboard/webhooks/test-webhook.js';
import type { ApiSettings } from './env.js';
import { getOpenapi } from './handlers/get-openapi.js';
import type { Handler, KeyCall } from './http/framework/call.js';
import type { Route } from './routes.js';

/** What the dashboard is made of. */
export interface DashboardDeps {
  readonly settings: ApiSettings;
  readonly db: PrismaDatabase;
  /** For pages that can be long. */
  readonly reads: Reads;
  /** With time for statements that read everything. */
  readonly books: Pick<Database, 'run'>;
  readonly limiter: RateLimiter;
  /** The handler of `POST /v1/generate`. */
  readonly generate: Handler<KeyCall>;
  readonly logger: Logger;
  /** The folder with the built pages. */
  readonly pagesDir: string;
  /** The path of invariants.sql. */
  readonly invariantsFile: string;
  readonly inspector: QueueInspector;
  readonly openBoard: () => Promise<QueueBoard>;
}

/** Makes the routes of the dashboard, its API and its pages; none when it is switched off or lacks its secret. */
export function composeDashboard(deps: DashboardDeps): readonly Route[] {
  const { settings, db, limiter, logger, inspector, invariantsFile } = deps;
  const secret = settings.AUTH_SECRET;
  if (!settings.DASHBOARD || secret === undefined) return [];
  const { baseUrl, fileUrl } = getPublicUrls(settings);
  const guardDeps = {
    auth: createAuth({ db, secret, baseUrl, logger }),
    db,
    limiter,
    ipRate: settings.RATE_LIMIT_IP,
    baseUrl,
  };
  const devices = createDeviceCookies({ db, secret, baseUrl });
  const handlers = composeHandlers(deps, { auth: guardDeps.auth, devices, baseUrl, fileUrl });
  const operator = composeOperator({
    db,
    reads: withPrisma(deps.reads.database),
    books: deps.books,
    fileUrl,
    inspector,
    invariantsFile,
  });
  const pages = loadPages(deps.pagesDir).then((found) => {
    if (!found.has('index.html')) logger.warn('the pages of the dashboard have not been built');
    return found;
  });
  // Whoever asks for a page is told; nobody asking is no reason to end.
  pages.catch((error: unknown) => logger.error('the pages of the dashboard cannot be read', { error }));
  const page = { method: 'get', access: 'open', handle: getPage({ pages, fileUrl }) } as const;
  const handleBoard = getBoard({ open: deps.openBoard });
  const board = { method: 'get', path: '/dashboard/board/{*path}', access: 'operator' } as const;
  return [
    guardRoute(guardDeps, { ...board, handle: handleBoard }),
    ...[...dashboardRoutes(handlers), ...operatorRoutes(operator)].map((route) =>
      guardRoute(guardDeps, route),
    ),
    { ...page, path: '/dashboard' },
    { ...page, path: '/dashboard/{*path}' },
  ];
}

interface HandlerParts {
  readonly auth: Auth;
  readonly devices: DeviceCookies;
  readonly baseUrl: string;
  readonly fileUrl: string;
}

function composeHandlers(
  { settings, db, reads, limiter, generate }: DashboardDeps,
  { auth, devices, baseUrl, fileUrl }: HandlerParts,
): DashboardHandlers {
  const limits = createSignInLimits(limiter);
  const allowSignup = settings.ALLOW_SIGNUP;
  const allow = new Set(settings.OUTBOUND_ALLOW);
  const outbound = createOutbound({ allow });
  const queries = querySchemas({ models: Object.keys(MODELS) });
  const isAllowedUrl = (url: string): boolean => checkLiteralHost(url, allow) === 'ok';
  const generateBody = generateSchema({
    models: settings.ENABLED_MODELS,
    isAllowedImageUrl: isAllowedUrl,
    isAllowedWebhookUrl: isAllowedUrl,
  });
  return {
    getDocument: getOpenapi(buildDashboardDocument({ generate: generateBody, queries })),
    getSession: getSession({ auth, db, allowSignup, baseUrl, fileUrl }),
    signIn: signIn({ auth, devices, limits }),
    signUp: signUp({ db, limits, allowSignup }),
    signOut: signOut({ auth }),
    changePassword: changePassword({ auth, devices, limits }),
    listSessions: listSessions({ db }),
    endOtherSessions: endOtherSessions({ db }),
    getOverview: getOverview({ reads, fileUrl }),
    listKeys: listKeys({ db }),
    createKey: createKey({ db }),
    revokeKey: revokeKey({ db }),
    rotateKey: rotateKey({ db }),
    playground: getPlayground({ models: settings.ENABLED_MODELS }),
    submitPlayground: submitPlayground({
      generate,
      limiter,
      keyRate: settings.RATE_LIMIT_KEY,
      accountRate: settings.RATE_LIMIT_ACCOUNT,
    }),
    listOwnTasks: listOwnTasks({ reads, schema: queries.tasks, fileUrl }),
    getOwnTask: getOwnTask({ db, fileUrl }),
    getUsage: getUsage({ reads }),
    exportUsage: exportUsage({ reads }),
    listDeliveries: listDeliveries({ reads }),
    resendOwnDelivery: resendOwnDelivery({ db }),
    getWebhookSecret: getWebhookSecret({ db }),
    rotateOwnWebhookSecret: rotateOwnWebhookSecret({ db }),
    testWebhook: testWebhook({
      db,
      outbound,
      fileUrl,
      limiter,
      isAllowedUrl,
    }),
  };
}
