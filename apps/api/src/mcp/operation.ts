import { Readable } from 'node:stream';
import type { Handler, KeyCall, Reply, Route } from '../http/framework/call.js';
import { requireScope } from '../http/keys/key-rights.js';

/** Input of an operation. */
export interface OperationInput {
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes in place of the body of the request. */
  readonly bytes?: Buffer;
}

/** Call of a tool. */
export interface ToolCall extends KeyCall {
  /** Calls a function once the response has ended: with true if all of it was handed to the connection. */
  readonly afterEnd: (onEnd: (isDelivered: boolean) => void) => void;
}

/** Runs an operation of `/v1` for the caller of a tool. Rejects with AppError as its route does. */
export type Operation = (call: ToolCall, input?: OperationInput) => Promise<Reply>;

/**
 * Creates the operation of a route such as `post /v1/quote`. The scopes of the route are judged, and its handler sees nothing
 * of the request but what the tool gives it. A handler that is given takes the place of the route's own.
 */
export function createOperation(
  routes: readonly Route[],
  name: `${Route['method']} /v1/${string}`,
  given?: Handler<KeyCall>,
): Operation {
  const route = routes.find(({ method, path }) => `${method} ${path}` === name);
  if (route?.access !== 'key') {
    throw new Error(`there is no route ${name} for callers with a key`);
  }
  const { scopes, handle } = route;
  return async (call, { body, params = {}, query = {}, headers = {}, bytes } = {}) => {
    requireScope(call.caller, scopes);
    const header = (field: string): readonly string[] => {
      const value = headers[field];
      return value === undefined ? [] : [value];
    };
    const source = Readable.from(bytes === undefined ? [] : [bytes]);
    const reply = await (given ?? handle)({ ...call, body, params, query, header, source });
    if (reply.onEnd) {
      call.afterEnd(reply.onEnd);
    }
    return reply;
  };
}

/** Returns the `data` of a reply in the envelope. */
export function readData<T>({ json, text }: Reply): T {
  const envelope = json ?? (JSON.parse(String(text)) as unknown);
  return (envelope as { readonly data: T }).data;
}
