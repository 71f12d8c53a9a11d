import type { Call, Handler, KeyCall } from './http/call.js';

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
  readonly healthz: Handler;
  readonly readyz: Handler;
  readonly generate: Handler<KeyCall>;
  readonly getTask: Handler<KeyCall>;
}

/** The API on one page. GET answers HEAD too; every other method and path is `404`. */
export function routes(handlers: Handlers): readonly Route[] {
  return [
    { method: 'get', path: '/healthz', access: 'open', handle: handlers.healthz },
    { method: 'get', path: '/readyz', access: 'open', handle: handlers.readyz },
    { method: 'post', path: '/v1/generate', access: 'key', body: 'json', handle: handlers.generate },
    { method: 'get', path: '/v1/tasks/:id', access: 'key', handle: handlers.getTask },
  ];
}
