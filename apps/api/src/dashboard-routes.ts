import { statementRoutes } from './account/customer-routes.js';
import { accountRoutes } from './account/routes.js';
import { modelRoutes } from './catalog/routes.js';
import type { DashboardDeps } from './dashboard-deps.js';
import { endpointRoutes, operatorEndpointRoutes } from './endpoint/routes.js';
import { ownFileRoutes } from './file/routes.js';
import type { DashboardRoute } from './http/define-route.js';
import { keyRoutes } from './key/routes.js';
import { managedProviderRoutes } from './provider/routes.js';
import { providerRoutes, statusRoutes, systemRoutes } from './system/routes.js';
import { openTaskRoutes } from './task/open-task-routes.js';
import { taskRoutes } from './task/routes.js';
import { overviewRoutes, usageRoutes } from './usage/routes.js';
import { mailRoutes } from './user/mail-routes.js';
import { operatorRoutes } from './user/operator-routes.js';
import { sessionRoutes } from './user/routes.js';
import { webhookRoutes } from './webhook/routes.js';

/** API of the dashboard: the tables of its nouns. The pages' types follow from it. */
export function dashboardRoutes(deps: DashboardDeps) {
  return [
    ...sessionRoutes(deps),
    ...mailRoutes(deps),
    ...overviewRoutes(deps),
    ...keyRoutes(deps),
    ...taskRoutes(deps),
    ...ownFileRoutes(deps),
    ...usageRoutes(deps),
    ...statementRoutes(deps),
    ...webhookRoutes(deps),
    ...endpointRoutes(deps),
    ...statusRoutes(deps),
    ...accountRoutes(deps),
    ...operatorRoutes(deps),
    ...openTaskRoutes(deps),
    ...providerRoutes(deps),
    ...modelRoutes(deps),
    ...operatorEndpointRoutes(deps),
    ...managedProviderRoutes(deps),
    ...systemRoutes(deps),
  ];
}

type Entry<R> =
  R extends DashboardRoute<'get' | 'post', string, infer Data, infer Body, infer Query>
    ? { readonly data: Data } & ([Body] extends [never] ? unknown : { readonly body: Body }) &
        ([Query] extends [never] ? unknown : { readonly query: Query })
    : never;
type Routes = ReturnType<typeof dashboardRoutes>[number];

/** Data, and body or query as they are sent, of each route by its method and its path below `/dashboard/api`. */
export type DashboardApi = { readonly [R in Routes as `${R['method']} ${R['path']}`]: Entry<R> };
