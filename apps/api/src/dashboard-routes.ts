import { accountRoutes } from './account/routes.js';
import { modelRoutes } from './catalog/routes.js';
import type { DashboardDeps } from './dashboard-deps.js';
import { endpointRoutes, operatorEndpointRoutes } from './endpoint/routes.js';
import type { DashboardRoute } from './http/session/route.js';
import { keyRoutes } from './key/routes.js';
import { managedProviderRoutes } from './provider/routes.js';
import { providerRoutes, statusRoutes, systemRoutes } from './system/routes.js';
import { openTaskRoutes } from './task/open-task-routes.js';
import { taskRoutes } from './task/routes.js';
import { overviewRoutes, usageRoutes } from './usage/routes.js';
import { mailRoutes } from './user/mail-routes.js';
import { sessionRoutes } from './user/routes.js';
import { webhookRoutes } from './webhook/routes.js';

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
