import { AppError } from '@image-gateway/shared/errors';
import type { RequestHandler } from 'express';
import type { LoadMonitor } from './load-monitor.js';

/** Health is told in any state. */
const ALWAYS = new Set(['/healthz', '/readyz']);

/** Turns requests away with `503` while the process is stopping or has too much to do; those that are in stay in. */
export function shedLoad(options: {
  readonly load: LoadMonitor;
  readonly isDraining: () => boolean;
}): RequestHandler {
  return (request, response, next) => {
    options.load.begin();
    response.once('close', options.load.end);
    const draining = options.isDraining();
    if (draining) response.setHeader('Connection', 'close');
    if (ALWAYS.has(request.path)) return next();
    if (draining) {
      const publicMessage = 'The service is restarting. Try again in a moment.';
      return next(new AppError('SERVICE_UNAVAILABLE', { publicMessage, retryAfterSeconds: 2 }));
    }
    if (options.load.isTooHigh()) {
      const publicMessage = 'The service is overloaded. Try again in a moment.';
      return next(new AppError('SERVICE_UNAVAILABLE', { publicMessage, retryAfterSeconds: 2 }));
    }
    next();
  };
}
