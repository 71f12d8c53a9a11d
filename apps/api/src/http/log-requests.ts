import { newRequestId } from '@image-gateway/shared/ids';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { RequestHandler } from 'express';
import { toClientAddress } from './client-address.js';
import { type RequestState, setState } from './framework/request-state.js';
import type { UnknownClients } from './framework/unknown-clients.js';

/** Paths of probes, requested every second by schedulers and load balancers. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** First layer: assigns the request id, and at the end of a request writes one log line and counts it. Never logs URLs or bodies. */
export function logRequests({
  logger,
  metrics,
  unknownClients,
}: {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly unknownClients: UnknownClients;
}): RequestHandler {
  return (request, response, next) => {
    const id = createRequestId(request.headers['x-request-id']);
    const startedAt = performance.now();
    let own: Logger | undefined;
    const state: RequestState = {
      id,
      address: toClientAddress(request.ip),
      startedAt,
      unknownClients,
      logger: () => {
        own ??= logger.child({ requestId: id });
        return own;
      },
    };
    setState(request, state);
    response.setHeader('X-Request-Id', id);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.once('close', () => {
      const ms = performance.now() - startedAt;
      const route = state.route ?? 'unmatched';
      const { method } = request;
      const status = response.headersSent ? response.statusCode : 499;
      metrics.httpRequests.inc({ method, route, status });
      if (!state.isHeld) {
        metrics.httpSeconds.observe({ method, route }, ms / 1000);
      }
      logger.log(PROBES.has(route) ? 'debug' : 'info', 'request', {
        requestId: id,
        method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        accountId: state.caller?.accountId,
        trace_id: state.traceId ?? undefined,
        ...(!response.writableFinished && { cut: true }),
      });
    });
    next();
  };
}

/** Keeps an incoming `X-Request-Id` of 1 to 128 characters of `A-Za-z0-9._-`, else makes one. */
export function createRequestId(incoming: string | readonly string[] | undefined): string {
  return typeof incoming === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(incoming) ? incoming : newRequestId();
}
