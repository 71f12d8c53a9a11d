import { draftModel } from '../operations/catalog/page/draft-model.js';
import type { DashboardDeps } from './deps.js';
import { endpointRoutes, operatorEndpointRoutes } from './endpoint-routes.js';
import { keyRoutes } from './key-routes.js';
import { mailRoutes } from './mail-routes.js';
import { accountRoutes } from './operator/account-routes.js';
import { draftBody } from './operator/catalog/change-bodies.js';
import { postDocument, postPrices, postRollback } from './operator/catalog/change-models.js';
import { checkModels } from './operator/catalog/check-models.js';
import { getMargins } from './operator/catalog/get-margins.js';
import { getModels } from './operator/catalog/get-models.js';
import { getVersion } from './operator/catalog/get-version.js';
import { managedProviderRoutes } from './operator/managed-provider-routes.js';
import { openTaskRoutes } from './operator/open-task-routes.js';
import { providerRoutes, statusRoutes, systemRoutes } from './operator/system-routes.js';
import { type DashboardRoute, operator } from './route.js';
import { sessionRoutes } from './session-routes.js';
import { taskRoutes } from './task-routes.js';
import { overviewRoutes, usageRoutes } from './usage-routes.js';
import { webhookRoutes } from './webhook-routes.js';

/** API of the dashboard: the tables of its nouns. The types of `DashboardApi` hold each route to its input and its data. */
export function dashboardRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  return [
    ...sessionRoutes(deps),
    ...mailRoutes(deps),
    ...overviewRoutes(deps),
    ...keyRoutes(deps),
    ...taskRoutes(deps),
    ...usageRoutes(deps),
    ...webhookRoutes(deps),
    ...endpointRoutes(deps),
    ...statusRoutes(deps),
    ...accountRoutes(deps),
    ...openTaskRoutes(deps),
    ...providerRoutes(deps),
    ...modelRoutes(deps),
    ...operatorEndpointRoutes(deps),
    ...managedProviderRoutes(deps),
    ...systemRoutes(deps),
  ];
}

function modelRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  const reads = { ...deps, db: deps.operatorReads };
  return [
    operator('get /operator/models', { reply: getModels(reads) }),
    operator('get /operator/models/margins', { reply: getMargins(deps) }),
    operator('get /operator/models/versions/:version', { reply: getVersion(reads) }),
    operator('post /operator/models/draft', {
      body: draftBody,
      run: ({ input }) => draftModel(deps.db, input),
    }),
    operator('post /operator/models/check', { body: 'document', reply: checkModels(deps) }),
    operator('post /operator/models/apply', { body: 'document', reply: postDocument(deps) }),
    operator('post /operator/models/prices', { body: 'json', reply: postPrices(deps) }),
    operator('post /operator/models/rollback', { body: 'json', reply: postRollback(deps) }),
  ];
}
