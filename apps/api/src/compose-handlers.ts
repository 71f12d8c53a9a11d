import { createAccountStateFinder, createTaskInserter } from '@image-gateway/shared/billing';
import { MODELS } from '@image-gateway/shared/catalog';
import { getPublicUrls } from '@image-gateway/shared/config';
import { createImageFinder, createTaskFinder, type Database, type Reads } from '@image-gateway/shared/db';
import { IMAGES_PREFIX, newId } from '@image-gateway/shared/ids';
import type { Metrics } from '@image-gateway/shared/metrics';
import { checkLiteralHost } from '@image-gateway/shared/net';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { generateSchema, querySchemas } from '@image-gateway/shared/validation';
import type { TaskEnqueuer } from './background/task-enqueuer.js';
import type { ApiSettings } from './env.js';
import { createObjectReader } from './handlers/files/create-object-reader.js';
import { getFile } from './handlers/files/get-file.js';
import { generate } from './handlers/generate.js';
import { getDocs, getDocsAsset, redirectToDocs } from './handlers/get-docs.js';
import { getIndex } from './handlers/get-index.js';
import { getOpenapi } from './handlers/get-openapi.js';
import { getTask } from './handlers/get-task.js';
import { healthz } from './handlers/healthz.js';
import { listTasks } from './handlers/list-tasks.js';
import { listUsage } from './handlers/list-usage.js';
import { readyz } from './handlers/readyz.js';
import { summarizeUsage } from './handlers/summarize-usage.js';
import type { Readiness } from './http/readiness.js';
import { buildDocument } from './openapi/build-document.js';
import type { Handlers } from './routes.js';

/** What the handlers need. */
export interface HandlerDeps {
  readonly settings: ApiSettings;
  readonly db: Database;
  /** For lists and sums. */
  readonly reads: Reads;
  readonly store: ObjectStore;
  readonly readiness: Readiness;
  readonly enqueuer: TaskEnqueuer;
  readonly metrics: Metrics;
}

/** Makes the handler of every route. */
export function composeHandlers({
  settings,
  db,
  reads,
  store,
  readiness,
  enqueuer,
  metrics,
}: HandlerDeps): Handlers {
  const { baseUrl, fileUrl } = getPublicUrls(settings);
  const allow = new Set(settings.OUTBOUND_ALLOW);
  const leadsOutside = (url: string): boolean => checkLiteralHost(url, allow) === 'ok';
  const schema = generateSchema({
    models: settings.ENABLED_MODELS,
    isAllowedImageUrl: (url) => url.startsWith(`${fileUrl}/${IMAGES_PREFIX}`) || leadsOutside(url),
    isAllowedWebhookUrl: leadsOutside,
  });
  const queries = querySchemas({ models: Object.keys(MODELS) });
  const limits = {
    maxPendingTasks: settings.MAX_PENDING_TASKS,
    maxPendingDeliveries: settings.MAX_PENDING_DELIVERIES,
    maxPendingHosts: settings.MAX_PENDING_HOSTS,
    maxFailedTasks: settings.MAX_FAILED_TASKS,
  };
  const accept = {
    ...{ db, newId, ...limits },
    insertTask: createTaskInserter({ db, deadlineMs: settings.TASK_DEADLINE_MS, ...limits }),
    findAccountState: createAccountStateFinder(db, limits),
  };
  const onAccepted = (model: string): void => metrics.tasksAccepted.inc({ model });
  return {
    generate: generate({ accept, schema, fileUrl, hint: enqueuer.enqueue, onAccepted }),
    getTask: getTask({ find: createTaskFinder(db), fileUrl }),
    listTasks: listTasks({ reads, schema: queries.tasks, fileUrl }),
    listUsage: listUsage({ reads, schema: queries.usage }),
    summarizeUsage: summarizeUsage({ reads, schema: queries.usageSummary }),
    getOpenapi: getOpenapi(buildDocument({ baseUrl, fileUrl, generate: schema, queries })),
    getFile: getFile({ find: createImageFinder(db), read: createObjectReader({ store }) }),
    getIndex: getIndex({ baseUrl }),
    getDocs: getDocs(),
    redirectToDocs: redirectToDocs(),
    getDocsAsset: getDocsAsset(),
    healthz: healthz(),
    readyz: readyz(readiness),
  };
}
