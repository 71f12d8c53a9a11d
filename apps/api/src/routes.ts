import { KEY_SCOPES } from '@image-gateway/shared/contract';
import { getAccount } from './account/get-account.js';
import { listModels } from './catalog/list-models.js';
import { type GetFileDeps, getFile } from './file/get-file.js';
import { type UploadFileDeps, uploadFileHandler } from './file/upload-file.js';
import { deleteUploadedFile, getUploadedFile, type UploadedFileDeps } from './file/uploaded-file.js';
import type { Route } from './http/framework/call.js';
import { getDocs, getDocsAsset, redirectToDocs } from './system/get-docs.js';
import { getIndex } from './system/get-index.js';
import { getOpenapi, type OpenapiDeps } from './system/get-openapi.js';
import { healthz, type Readiness, readyz } from './system/health.js';
import { type CancelTaskDeps, cancelTaskHandler } from './task/cancel-task-handler.js';
import { type DeleteTaskDeps, deleteTaskHandler } from './task/delete-task-handler.js';
import { type GenerateDeps, generate } from './task/generate-handler.js';
import { type GetTaskDeps, getTask } from './task/get-task.js';
import { type ListTasksDeps, listTasksHandler } from './task/list-tasks-handler.js';
import { quote } from './task/quote.js';
import { streamTaskEvents } from './task/stream-task-events.js';
import { type ListUsageDeps, listUsageHandler, summarizeUsage } from './usage/usage-handlers.js';

/** Dependencies of all handlers; each takes those it needs. */
export interface HandlerDeps
  extends CancelTaskDeps,
    DeleteTaskDeps,
    GenerateDeps,
    GetFileDeps,
    GetTaskDeps,
    ListTasksDeps,
    ListUsageDeps,
    OpenapiDeps,
    UploadedFileDeps,
    UploadFileDeps {
  readonly readiness: Readiness;
}

/**
 * The API on one screen. GET serves HEAD too, and a slash at the end of a path is ignored. Every other method and path is `404`,
 * under `/v1` only with a valid key.
 */
export function routes(deps: HandlerDeps): readonly Route[] {
  return [
    {
      method: 'post',
      path: '/v1/generate',
      access: 'key',
      scopes: ['generate'],
      body: 'small-json',
      handle: generate(deps),
    },
    {
      method: 'get',
      path: '/v1/tasks/:id',
      access: 'key',
      scopes: ['read', 'generate'],
      handle: getTask(deps),
    },
    {
      method: 'get',
      path: '/v1/tasks/:id/events',
      access: 'key',
      scopes: ['read', 'generate'],
      handle: streamTaskEvents(deps),
    },
    {
      method: 'post',
      path: '/v1/tasks/:id/cancel',
      access: 'key',
      scopes: ['generate', 'delete'],
      handle: cancelTaskHandler(deps),
    },
    {
      method: 'delete',
      path: '/v1/tasks/:id',
      access: 'key',
      scopes: ['delete'],
      handle: deleteTaskHandler(deps),
    },
    { method: 'get', path: '/v1/tasks', access: 'key', scopes: ['read'], handle: listTasksHandler(deps) },
    {
      method: 'post',
      path: '/v1/quote',
      access: 'key',
      scopes: ['generate'],
      body: 'small-json',
      handle: quote(deps),
    },
    {
      method: 'post',
      path: '/v1/files',
      access: 'key',
      scopes: ['generate'],
      handle: uploadFileHandler(deps),
    },
    {
      method: 'get',
      path: '/v1/files/:id',
      access: 'key',
      scopes: ['read', 'generate'],
      handle: getUploadedFile(deps),
    },
    {
      method: 'delete',
      path: '/v1/files/:id',
      access: 'key',
      scopes: ['delete', 'generate'],
      handle: deleteUploadedFile(deps),
    },
    { method: 'get', path: '/v1/account', access: 'key', scopes: KEY_SCOPES, handle: getAccount(deps) },
    { method: 'get', path: '/v1/models', access: 'key', scopes: KEY_SCOPES, handle: listModels(deps) },
    { method: 'get', path: '/v1/usage', access: 'key', scopes: ['read'], handle: listUsageHandler(deps) },
    {
      method: 'get',
      path: '/v1/usage/summary',
      access: 'key',
      scopes: ['read'],
      handle: summarizeUsage(deps),
    },
    { method: 'get', path: '/v1/openapi.json', access: 'open', handle: getOpenapi(deps) },
    { method: 'get', path: '/files/images/:task/:name', access: 'open', handle: getFile(deps) },
    { method: 'get', path: '/', access: 'open', handle: getIndex(deps) },
    { method: 'get', path: '/docs', access: 'open', handle: getDocs() },
    { method: 'get', path: '/docs/', access: 'open', handle: redirectToDocs() },
    { method: 'get', path: '/docs/:asset', access: 'open', handle: getDocsAsset() },
    { method: 'get', path: '/healthz', access: 'open', handle: healthz() },
    { method: 'get', path: '/readyz', access: 'open', handle: readyz(deps.readiness) },
  ];
}
