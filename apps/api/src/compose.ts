import type { Server } from 'node:http';
import { createSubmitJudge, createTaskInserter } from '@image-gateway/shared/billing';
import { getPublicUrls } from '@image-gateway/shared/config';
import {
  createCatalogFeed,
  createImageFinder,
  createModelNames,
  createTaskFinder,
  deleteEndedTask,
  findEndedTasks,
  findFullTask,
} from '@image-gateway/shared/db';
import { withPrisma } from '@image-gateway/shared/db/prisma';
import { newId } from '@image-gateway/shared/ids';
import type { Shutdown } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { createMailer, getSender } from '@image-gateway/shared/mail';
import { createMetrics, type Metrics, watchCatalog } from '@image-gateway/shared/metrics';
import { pingRedis, subscribeToTaskEnds, tryRedisWrite } from '@image-gateway/shared/queues';
import { createReplayParser } from '@image-gateway/shared/task';
import type { Tracing } from '@image-gateway/shared/tracing';
import { querySchemas } from '@image-gateway/shared/validation';
import type { Express, RequestHandler } from 'express';
import { type AppOptions, createApp, createListener } from './app.js';
import { createOffers } from './catalog/create-offers.js';
import { describeLosses } from './catalog/describe-losses.js';
import { describeUnknownModels } from './catalog/describe-unknown-models.js';
import { sweepWaitingCatalog } from './catalog/waiting/sweep-waiting-catalog.js';
import { composeFacade, type Facade } from './compose-facade.js';
import { composeUploads } from './compose-uploads.js';
import { type Connections, connect } from './connect.js';
import type { DashboardDeps } from './dashboard-deps.js';
import { dashboardRoutes } from './dashboard-routes.js';
import type { ApiSettings } from './env.js';
import { createObjectReader } from './file/create-object-reader.js';
import type { UploadFileDeps } from './file/upload-file.js';
import { UNPAID_ACCOUNT_BYTES } from './file/uploads/store-inputs.js';
import { limitOpenPaths } from './http/address-limits.js';
import { admission } from './http/admission.js';
import { BOARD_PATH, createBoard } from './http/board/create-board.js';
import { createCors } from './http/cors.js';
import { createHttpServer } from './http/create-server.js';
import { DASHBOARD_API } from './http/define-route.js';
import type { Route } from './http/framework/call.js';
import { createBodyBudget, createJsonReader } from './http/framework/json-body.js';
import { createUnknownClients } from './http/framework/unknown-clients.js';
import { createAuthenticator } from './http/keys/authenticate.js';
import { getPage } from './http/pages/get-page.js';
import { loadPages } from './http/pages/load-pages.js';
import type { CallerRates } from './http/rate-limits.js';
import { resetSlowReaders } from './http/reset-slow-readers.js';
import { guardRoute } from './http/session/guard-route.js';
import { createLoadMonitor, shedLoad } from './http/shed-load.js';
import { createNotFound } from './http/wrong-doors.js';
import { createValueHash } from './key/create-value-hash.js';
import { createKeyUseRecorder } from './key/key-use-recorder.js';
import { createMcpErrorReply, MCP_PATH, type McpDeps, mcpRoutes } from './mcp/routes.js';
import { buildDocument } from './openapi.js';
import { sweepNeeds } from './provider/sweep-needs.js';
import { watchProviders } from './provider/watch-providers.js';
import { customerRoutes, type HandlerDeps, publicRoutes } from './routes.js';
import { getOpenapi } from './system/get-openapi.js';
import { createReadiness, pingStorage } from './system/health.js';
import { createUrlChecks } from './task/create-url-checks.js';
import { type GenerateDeps, generate } from './task/generate-handler.js';
import { createEndedTasks } from './task/shown-tasks.js';
import { createTaskEnqueuer } from './task/task-enqueuer.js';
import { createTaskWaits } from './task/waiting/create-task-waits.js';
import { watchDueWork } from './task/watch-due-work.js';
import { createProxyCheck } from './trust-proxy.js';
import { createUsageExporter } from './usage/export-usage.js';
import type { Auth, AuthOptions } from './user/auth/create-auth.js';
import { createLinkMail, type LinkMail } from './user/auth/create-link-mail.js';
import { createDeviceCookies } from './user/auth/device-cookies.js';
import { createSignInLimits } from './user/auth/sign-in-limits.js';

/** The composed process. */
export interface Api {
  readonly server: Server;
  /** Has the routes that the server serves. */
  readonly app: Express;
  readonly metrics: Metrics;
}

/** Parts that the process brings along. */
export interface ComposeDeps {
  readonly logger: Logger;
  readonly shutdown: Shutdown;
  readonly tracing: Tracing;
  /** Folder with the built pages of the dashboard. */
  readonly pagesDir: string;
  /** Path of invariants.sql. */
  readonly invariantsFile: string;
  readonly onReply?: AppOptions['onReply'];
}

/** A flood of connections is one line a minute. */
const DROP_LOG_MS = 60_000;

/** Wires the API; everything with a lifetime is registered for shutdown. Waits for nothing. */
export function compose(settings: ApiSettings, deps: ComposeDeps): Api {
  const { logger, shutdown } = deps;
  const isDraining = (): boolean => shutdown.signal.aborted;
  const metrics = createMetrics('api');
  const connections = connect(settings, { logger, metrics, shutdown });
  const { db, redis, limiter, store } = connections;
  const load = createLoadMonitor();
  const keyUse = createKeyUseRecorder({ db, logger });
  const enqueuer = createTaskEnqueuer({ producer: connections.producer, metrics });
  const readiness = createReadiness({
    isDraining,
    postgres: db.ping,
    redis: async () => {
      await pingRedis(redis);
      await tryRedisWrite(redis, settings.REDIS_PREFIX);
    },
    storage: () => pingStorage(store, db),
  });
  const limits = {
    maxOpenTasks: settings.MAX_PENDING_TASKS,
    maxPendingDeliveries: settings.MAX_PENDING_DELIVERIES,
    maxPendingHosts: settings.MAX_PENDING_HOSTS,
    maxFailedTasks: settings.MAX_FAILED_TASKS,
  };
  const retention = { retentionDays: settings.RETENTION_DAYS };
  const rates = { keyRate: settings.RATE_LIMIT_KEY, accountRate: settings.RATE_LIMIT_ACCOUNT };
  const modelNames = createModelNames(db);
  const watched = watchCatalog({ logger, metrics });
  const feed = createCatalogFeed({
    db,
    ...watched,
    onChange: (active) => {
      watched.onChange(active);
      // Names that cannot be read now are read with the next version; until then they are no filters.
      modelNames.readUpTo(active.newestVersion).catch(() => undefined);
      const unknown = describeUnknownModels(active.catalog, settings.ENABLED_MODELS);
      if (unknown !== null) {
        logger.error(unknown);
      }
      const losses = describeLosses(active.catalog, {
        enabledModels: settings.ENABLED_MODELS,
        listProviders: settings.listProviders,
      });
      if (losses !== null) {
        logger.warn(losses);
      }
    },
  });
  shutdown.register('work', 'catalog', feed.stop);
  shutdown.register('connections', 'traces', deps.tracing.close);
  const urls = createUrlChecks(settings);
  const listProviders = settings.namesProviders ? settings.listProviders : null;
  const offers = createOffers({
    feed,
    enabledModels: settings.ENABLED_MODELS,
    providers: watchProviders({
      db,
      listProviders,
      onStale: (error) => logger.warn('the reports of the workers could not be read in time', { error }),
    }),
    ...urls,
  });
  const shared = {
    offers,
    queries: querySchemas({ isModel: modelNames.has }),
    isAllowedUrl: urls.isAllowedWebhookUrl,
  };
  const waits = createTaskWaits({
    findEnded: (taskIds) => findEndedTasks(db, taskIds),
    signal: shutdown.signal,
    onCount: (places) => metrics.waitingRequests.set(places),
  });
  subscribeToTaskEnds(connections.endsRedis, { prefix: settings.REDIS_PREFIX, onEnd: waits.hear });
  const bodies = createBodyBudget();
  const handlerDeps: HandlerDeps = {
    ...getPublicUrls(settings),
    ...shared,
    ...urls,
    ...composeUploads(settings, { logger, metrics }),
    bodies,
    db,
    store,
    logger,
    fileLimits: { maxFiles: settings.MAX_FILES, maxBytes: settings.MAX_FILES_BYTES },
    unpaidLimits: { ownBytes: UNPAID_ACCOUNT_BYTES, allBytes: settings.UNPAID_FILES_BYTES },
    onUpload: (result) => metrics.filesUploaded.inc({ result }),
    parseReplay: createReplayParser(urls),
    reads: connections.reads,
    exportUsage: createUsageExporter(connections),
    readiness,
    accept: {
      db,
      newId,
      getPrice: offers.getPrice,
      insertTask: createTaskInserter({ db, deadlineMs: settings.TASK_DEADLINE_MS, ...limits }),
      judgeSubmit: createSubmitJudge({ reads: connections.reads, ...limits }),
      hashValue: createValueHash(settings.AUTH_SECRET[0]),
      topUpUrl: settings.TOP_UP_URL,
    },
    hint: enqueuer.enqueue,
    onAccepted: (model) => metrics.tasksAccepted.inc({ model }),
    waits,
    settle: { db, newId, ...getPublicUrls(settings) },
    findTask: createTaskFinder(db),
    ended: createEndedTasks(),
    deleteTask: (task) => deleteEndedTask(db, task),
    findFullTask: (id, accountId) => findFullTask(db, { id, accountId, ...retention }),
    findImage: createImageFinder(db, retention),
    readObject: createObjectReader({ store }),
  };
  const dashboard = composeDashboard(settings, {
    ...handlerDeps,
    ...connections,
    ...shared,
    ...rates,
    ...deps,
  });
  const facade = composeFacade(settings, { ...handlerDeps, ...deps, ...urls, metrics });
  const customers = customerRoutes(handlerDeps);
  const open = publicRoutes(
    handlerDeps,
    getOpenapi({
      offers,
      buildDocument: (schemas) =>
        buildDocument({ ...getPublicUrls(settings), ...schemas, routes: documented }),
    }),
  );
  const documented = [...customers, ...facade.routes, ...open];
  const mcp = composeMcp(settings, { ...handlerDeps, routes: customers, logger });
  const routes = [...documented, ...mcp.routes, ...dashboard.routes];
  const unknownClients = createUnknownClients();
  const app = createApp({
    unknownClients,
    readJson: createJsonReader({ budget: bodies, unknownClients }),
    tracing: deps.tracing,
    routes,
    gate: shedLoad({ load, isDraining }),
    openLimit: limitOpenPaths({ limiter, rate: settings.RATE_LIMIT_FILES }),
    admission: admission({
      ...createAuthenticator({ db, onUse: keyUse.record }),
      ...rates,
      limiter,
      ipRate: settings.RATE_LIMIT_IP,
      authRate: settings.RATE_LIMIT_AUTH,
      openPaths: new Set(routes.filter(({ access }) => access === 'open').map(({ path }) => path)),
    }),
    keyPaths: ['/v1', ...facade.keyPaths, ...mcp.keyPaths],
    errorFormats: [...facade.errorFormats, ...mcp.errorFormats],
    createNotFound: createNotFound({
      ...getPublicUrls(settings),
      hasFacade: settings.OPENAI_FACADE,
      doors: [...customers, ...facade.routes],
    }),
    cors: createCors(settings.CORS_ORIGINS),
    trustProxy: settings.TRUST_PROXY,
    ...(dashboard.board && { mounts: { [BOARD_PATH]: dashboard.board } }),
    logger,
    metrics,
    onReply: deps.onReply,
  });
  let lastDropAt = Number.NEGATIVE_INFINITY;
  const server = createHttpServer(createListener(app), {
    isProxy: createProxyCheck(settings.TRUST_PROXY),
    onDrop: () => {
      metrics.connectionsDropped.inc();
      if (performance.now() - lastDropAt > DROP_LOG_MS) {
        lastDropAt = performance.now();
        logger.error(
          'connections are dropped: the process has as many as its limit of open files allows, or an address has too many',
        );
      }
    },
  });
  shutdown.register('work', 'hints', enqueuer.stop);
  shutdown.register('work', 'key use', keyUse.stop);
  shutdown.register('work', 'due work', watchDueWork({ db: connections.reads.database, metrics }));
  shutdown.register('work', 'waiting catalog', sweepWaitingCatalog({ db, logger }));
  const sources = { enabledModels: settings.ENABLED_MODELS, listProviders: settings.listProviders };
  shutdown.register('work', 'needs of operators', sweepNeeds({ db, feed, logger, ...sources }));
  shutdown.register('connections', 'load', load.stop);
  shutdown.register('connections', 'readers', resetSlowReaders(server));
  return { server, app, metrics };
}

/** Wires the MCP server; nothing when it is switched off. */
function composeMcp(
  { MCP, MCP_CONFIRM_ABOVE: confirmAboveMicros, CORS_ORIGINS: origins }: ApiSettings,
  parts: Omit<McpDeps, 'confirmAboveMicros' | 'origins'>,
): Facade {
  if (!MCP) {
    return { routes: [], keyPaths: [], errorFormats: [] };
  }
  return {
    routes: mcpRoutes({ ...parts, confirmAboveMicros, origins }),
    keyPaths: [MCP_PATH],
    errorFormats: [{ below: MCP_PATH, createReply: createMcpErrorReply }],
  };
}

type DashboardParts = ComposeDeps &
  Connections &
  Pick<DashboardDeps, 'queries' | 'isAllowedUrl' | 'offers'> &
  CallerRates &
  Pick<
    HandlerDeps,
    'baseUrl' | 'fileUrl' | 'exportUsage' | keyof GenerateDeps | keyof UploadFileDeps | 'readObject'
  >;

/** Wires the mails with links; null without SMTP_URL. */
function composeLinkMail(settings: ApiSettings, parts: DashboardParts): LinkMail | null {
  const { db, limiter, logger, baseUrl, shutdown } = parts;
  if (settings.SMTP_URL === undefined) {
    return null;
  }
  const mailer = createMailer({ url: settings.SMTP_URL, from: getSender(settings) });
  shutdown.register('connections', 'mail', () => mailer.close());
  const mail = createLinkMail({ db, mailer, limiter, logger, baseUrl });
  shutdown.register('work', 'mails', mail.stop);
  return mail;
}

/**
 * Loads the authentication while the process starts: its library is a quarter of all code, which an API without a dashboard does without.
 * Makes it at the first call, since its Prisma client holds 10 MB. Where it cannot be loaded each call fails, and the process goes on.
 */
function loadAuth(options: AuthOptions): Auth {
  const loading = import('./user/auth/create-auth.js');
  loading.catch((error: unknown) => options.logger.error('the authentication cannot be loaded', { error }));
  let made: Promise<Auth> | undefined;
  const open = (): Promise<Auth> => {
    made ??= loading.then(({ createAuth }) => createAuth(options));
    return made;
  };
  return {
    signIn: async (...given) => (await open()).signIn(...given),
    find: async (...given) => (await open()).find(...given),
    isPassword: async (...given) => (await open()).isPassword(...given),
    signOut: async (...given) => (await open()).signOut(...given),
    changePassword: async (...given) => (await open()).changePassword(...given),
  };
}

interface Dashboard {
  readonly routes: readonly Route[];
  readonly board?: RequestHandler;
}

/** Wires the API and the pages of the dashboard; nothing when it is switched off or has no secret. */
function composeDashboard(settings: ApiSettings, parts: DashboardParts): Dashboard {
  const { db, redis, limiter, logger, baseUrl, fileUrl, shutdown } = parts;
  const [secret, ...former] = settings.AUTH_SECRET;
  if (!settings.DASHBOARD || secret === undefined) {
    return { routes: [] };
  }
  const secrets = [secret, ...former] as const;
  const auth = loadAuth({ db, secrets, baseUrl, logger });
  const guard = { auth, db, limiter, ipRate: settings.RATE_LIMIT_IP, baseUrl };
  const api = dashboardRoutes({
    ...parts,
    auth,
    devices: createDeviceCookies({ db, secrets, baseUrl }),
    limits: createSignInLimits(limiter),
    operatorReads: withPrisma(parts.reads.database),
    generate: generate(parts, { takesMask: true }),
    allowSignup: settings.ALLOW_SIGNUP,
    signupCredit: { amountMicros: settings.SIGNUP_CREDIT, dayLimitMicros: settings.SIGNUP_CREDIT_LIMIT },
    supportUrl: settings.SUPPORT_URL,
    topUpUrl: settings.TOP_UP_URL,
    mail: composeLinkMail(settings, parts),
    listSettings: settings.listSettings,
    retentionDays: settings.RETENTION_DAYS,
    limitSettings: settings,
    maxTries: settings.TASK_MAX_ATTEMPTS,
    enabledModels: settings.ENABLED_MODELS,
    listProviders: settings.listProviders,
    encryptionKeys: settings.ENCRYPTION_KEY,
    upstreams: settings.upstreams,
  });
  const pages = loadPages(parts.pagesDir).then((found) => {
    if (!found.has('index.html')) {
      logger.warn(
        'the pages of the dashboard have not been built: run npm run build, or set DASHBOARD=false',
      );
    }
    return found;
  });
  // A request for a page fails with this error; until then it must not end the process.
  pages.catch((error: unknown) => logger.error('the pages of the dashboard cannot be read', { error }));
  const page = { method: 'get', access: 'open', handle: getPage({ pages, fileUrl }) } as const;
  const board = createBoard({ guard, redis, prefix: settings.REDIS_PREFIX });
  shutdown.register('work', 'board', board.close);
  return {
    routes: [
      ...api.map((route) => guardRoute(guard, { ...route, path: `${DASHBOARD_API}${route.path}` })),
      { ...page, path: '/dashboard' },
      { ...page, path: '/dashboard/{*path}' },
    ],
    board: board.handle,
  };
}
