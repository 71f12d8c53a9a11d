import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Call } from './call.js';
import type { ReadJson } from './json-body.js';
import type { RequestState } from './request-state.js';

/** Creates the Call of an Express request. */
export function createCall(
  request: Request,
  response: Response,
  {
    state,
    readJson = () => Promise.reject(new Error('the route reads no body')),
    traceparent = null,
  }: { readonly state: RequestState; readonly readJson?: ReadJson; readonly traceparent?: string | null },
): Call {
  return {
    id: state.id,
    method: request.method,
    ip: state.address,
    forwardedOrigin: readForwardedOrigin(request),
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string | string[]>,
    startedAt: state.startedAt,
    traceparent,
    header: (name) => headerValues(request, name),
    source: request,
    expectUpload: () => {
      state.upload ??= { isPaused: false };
      return state.upload;
    },
    body: request.body as unknown,
    readJson: (terms) => readJson(request, response, terms),
    holdOpen: () => holdOpen(response, state),
  };
}

function readForwardedOrigin(request: Request): string | null {
  if (request.headers['x-forwarded-host'] === undefined) {
    return null;
  }
  // Express gives what the proxy wrote if it is trusted, and else the request's own `Host`, of which anybody chooses the name.
  const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const origin = `${request.protocol}://${request.host}`;
  return isTrusted(request.socket.remoteAddress ?? '', 0) && URL.canParse(origin)
    ? new URL(origin).origin
    : null;
}

function holdOpen(response: Response, state: RequestState): AbortSignal {
  state.isHeld = true;
  state.stopCounting?.();
  const closed = new AbortController();
  if (response.destroyed) {
    closed.abort();
  } else {
    response.once('close', () => closed.abort());
  }
  return closed.signal;
}

/** Returns every value of a header; Node itself keeps only the first `Authorization` and joins others. */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  if (request.headers[name] === undefined) {
    return [];
  }
  const values: string[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]?.toLowerCase() === name) {
      values.push(request.rawHeaders[i + 1] ?? '');
    }
  }
  return values;
}
