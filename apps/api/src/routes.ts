import { statementApiRoute } from './account/customer-routes.js';
import { accountApiRoute } from './account/routes.js';
import { modelsApiRoute } from './catalog/routes.js';
import type { GetFileDeps } from './file/get-file.js';
import { fileRoutes, imageRoute } from './file/routes.js';
import type { UploadFileDeps } from './file/upload-file.js';
import type { UploadedFileDeps } from './file/uploaded-file.js';
import type { ApiRoute } from './http/define-route.js';
import type { Handler } from './http/framework/call.js';
import type { Readiness } from './system/health.js';
import { docsRoutes, documentRoute, healthRoutes, indexRoute } from './system/public-routes.js';
import { quoteRoute, type TaskApiDeps, taskApiRoutes } from './task/customer-routes.js';
import { usageApiRoutes } from './usage/routes.js';
import type { ListUsageDeps } from './usage/usage-handlers.js';

/** Dependencies of all routes for programs; each takes those it needs. */
export interface HandlerDeps
  extends TaskApiDeps,
    GetFileDeps,
    ListUsageDeps,
    UploadedFileDeps,
    UploadFileDeps {
  readonly baseUrl: string;
  readonly fileUrl: string;
  readonly readiness: Readiness;
}

/**
 * The API for customers. GET serves HEAD too, and a slash at the end of a path is ignored. Every other method and path is `404`,
 * under `/v1` only with a valid key.
 */
export function customerRoutes(deps: HandlerDeps): readonly ApiRoute[] {
  return [
    ...taskApiRoutes(deps),
    ...fileRoutes(deps),
    quoteRoute(deps),
    accountApiRoute(deps),
    statementApiRoute(deps),
    modelsApiRoute(deps),
    ...usageApiRoutes(deps),
  ];
}

/** Routes that need no key: the document, images, pages and the state of the process. */
export function publicRoutes(deps: HandlerDeps, getDocument: Handler): readonly ApiRoute[] {
  return [
    indexRoute(deps),
    documentRoute(getDocument),
    imageRoute(deps),
    ...docsRoutes(),
    ...healthRoutes(deps),
  ];
}
