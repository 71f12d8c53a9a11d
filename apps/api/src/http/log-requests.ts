import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { RequestHandler } from 'express';
import { type RequestState, setState } from './framework/request-state.js';
import { requestId } from './request-id.js';

/** Asked every second by whoever runs the process. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** The first layer: gives a request its id, and when it has ended writes one log line and counts it. Never logs URLs or bodies. */
export function logRequests({
  logger,
  metrics,
}: {
  readonly logger: Logger;
  readonly metrics: Metrics;
}): RequestHandler {
  return (request, response, next) => {
    const id = requestId(request.headers['x-request-id']);
    const startedAt = performance.now();
    let own: Logger | undefined;
    const state: RequestState = {
      id,
      startedAt,
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
      metrics.httpSeconds.observe({ method, route }, ms / 1000);
      logger.log(PROBES.has(route) ? 'debug' : 'info', 'request', {
        requestId: id,
        method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        accountId: state.caller?.accountId,
        ...(!response.writableFinished && { cut: true }),
      });
    });
    next();
  };
}
