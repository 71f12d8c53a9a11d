import type { Call, Handler, KeyCall } from './http/framework/call.js';

/** A route: one line of the API. */
export type Route = {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Whether a JSON body is read. */
  readonly body?: 'json';
} & (
  | { readonly access: 'open'; readonly handle: Handler<Call> }
  | { readonly access: 'key'; readonly handle: Handler<KeyCall> }
);

/** What answers each route. */
export interface Handlers {
  readonly generate: Handler<KeyCall>;
  readonly getTask: Handler<KeyCall>;
  readonly listTasks: Handler<KeyCall>;
  readonly listUsage: Handler<KeyCall>;
  readonly summarizeUsage: Handler<KeyCall>;
  readonly getOpenapi: Handler;
  readonly getFile: Handler;
  readonly getIndex: Handler;
  readonly getDocs: Handler;
  readonly redirectToDocs: Handler;
  readonly getDocsAsset: Handler;
  readonly healthz: Handler;
  readonly readyz: Handler;
}

/** The API on one page. GET answers HEAD too, and a slash at the end of a path is ignored; every other method and path is `404`, under `/v1` only for those who have a key. */
export function routes(to: Handlers): readonly Route[] {
  return [
    { method: 'post', path: '/v1/generate', access: 'key', body: 'json', handle: to.generate },
    { method: 'get', path: '/v1/tasks/:id', access: 'key', handle: to.getTask },
    { method: 'get', path: '/v1/tasks', access: 'key', handle: to.listTasks },
    { method: 'get', path: '/v1/usage', access: 'key', handle: to.listUsage },
    { method: 'get', path: '/v1/usage/summary', access: 'key', handle: to.summarizeUsage },
    { method: 'get', path: '/v1/openapi.json', access: 'open', handle: to.getOpenapi },
    { method: 'get', path: '/files/images/:task/:name', access: 'open', handle: to.getFile },
    { method: 'get', path: '/', access: 'open', handle: to.getIndex },
    { method: 'get', path: '/docs', access: 'open', handle: to.getDocs },
    { method: 'get', path: '/docs/', access: 'open', handle: to.redirectToDocs },
    { method: 'get', path: '/docs/:asset', access: 'open', handle: to.getDocsAsset },
    { method: 'get', path: '/healthz', access: 'open', handle: to.healthz },
    { method: 'get', path: '/readyz', access: 'open', handle: to.readyz },
  ];
}
