import { createBatchedTaskInserter, createStandingFinder } from '@image-gateway/shared/billing';
import { MODELS } from '@image-gateway/shared/catalog';
import { publicUrlsOf } from '@image-gateway/shared/config';
import { generateSchema, querySchemas } from '@image-gateway/shared/contract';
import { createTaskFinder, type Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type { Metrics } from '@image-gateway/shared/metrics';
import { checkLiteralHost } from '@image-gateway/shared/net';
import type { ObjectStore } from '@image-gateway/shared/storage';
import type { ApiSettings } from './env.js';
import { generate } from './handlers/generate.js';
import { getDocs, getDocsAsset } from './handlers/get-docs.js';
import { getFile } from './handlers/get-file.js';
import { getOpenapi } from './handlers/get-openapi.js';
import { getTask } from './handlers/get-task.js';
import { healthz } from './handlers/healthz.js';
import { listTasks } from './handlers/list-tasks.js';
import { listUsage } from './handlers/list-usage.js';
import { readyz } from './handlers/readyz.js';
import { summarizeUsage } from './handlers/summarize-usage.js';
import type { Hinter } from './http/hinter.js';
import type { Readiness } from './http/readiness.js';
import { buildDocument } from './openapi/build-document.js';
import type { Handlers } from './routes.js';

/** What the handlers need. */
export interface HandlerDeps {
  readonly settings: ApiSettings;
  readonly db: Database;
  readonly store: ObjectStore;
  readonly readiness: Readiness;
  readonly hinter: Hinter;
  readonly metrics: Metrics;
}

/** Makes the handler of every route. */
export function composeHandlers({ settings, db, store, readiness, hinter, metrics }: HandlerDeps): Handlers {
  const { baseUrl, fileUrl } = publicUrlsOf(settings);
  const allow = new Set(settings.OUTBOUND_ALLOW);
  const leadsOutside = (url: string): boolean => checkLiteralHost(url, allow) === 'ok';
  const schema = generateSchema({
    models: settings.ENABLED_MODELS,
    isAllowedImageUrl: (url) => url.startsWith(`${fileUrl}/images/`) || leadsOutside(url),
    isAllowedWebhookUrl: leadsOutside,
  });
  const queries = querySchemas({ models: Object.keys(MODELS) });
  const terms = {
    db,
    maxPendingTasks: settings.MAX_PENDING_TASKS,
    deadlineMs: settings.TASK_DEADLINE_MS,
  };
  const accept = {
    ...terms,
    newId,
    insertTask: createBatchedTaskInserter(terms),
    findStanding: createStandingFinder(db),
  };
  const onAccepted = (model: string): void => metrics.tasksAccepted.inc({ model });
  return {
    generate: generate({ accept, schema, fileUrl, hint: hinter.hint, onAccepted }),
    getTask: getTask({ find: createTaskFinder(db), fileUrl }),
    listTasks: listTasks({ db, schema: queries.tasks, fileUrl }),
    listUsage: listUsage({ db, schema: queries.usage }),
    summarizeUsage: summarizeUsage({ db, schema: queries.usageSummary }),
    getOpenapi: getOpenapi(buildDocument({ baseUrl, fileUrl, generate: schema, queries })),
    getFile: getFile({ db, store }),
    getDocs: getDocs(),
    getDocsAsset: getDocsAsset(),
    healthz: healthz(),
    readyz: readyz(readiness),
  };
}
