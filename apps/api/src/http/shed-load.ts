import { AppError } from '@image-gateway/shared/errors';
import type { RequestHandler } from 'express';
import { getState } from './framework/request-state.js';

/** Paths that respond in any state. */
const ALWAYS = new Set(['/healthz', '/readyz']);

/** Refuses new requests with `503` while the process is stopping or overloaded; accepted requests go on. */
export function shedLoad(options: {
  readonly load: LoadMonitor;
  readonly isDraining: () => boolean;
}): RequestHandler {
  return (request, response, next) => {
    options.load.begin();
    let isCounted = true;
    const stopCounting = (): void => {
      if (isCounted) {
        isCounted = false;
        options.load.end();
      }
    };
    response.once('close', stopCounting);
    getState(request).stopCounting = stopCounting;
    const draining = options.isDraining();
    if (draining) {
      response.setHeader('Connection', 'close');
    }
    if (ALWAYS.has(request.path)) {
      return next();
    }
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

/** Monitor that detects overload of the process. */
export interface LoadMonitor {
  readonly begin: () => void;
  readonly end: () => void;
  readonly isTooHigh: () => boolean;
  readonly stop: () => void;
}

/** Thresholds of the monitor; all times in milliseconds. */
export interface LoadMonitorOptions {
  /** Maximum of concurrent requests: far more than a burst of customers, less than memory holds. */
  readonly maxPending?: number;
  /** Maximum delay of the event loop, three times in a row. */
  readonly maxLagMs?: number;
  readonly everyMs?: number;
  readonly now?: () => number;
}

const ROUNDS = 3;

/** Measures concurrent requests and the delay of the event loop. One long pause, such as that of a stopped process, is no overload. */
export function createLoadMonitor(options: LoadMonitorOptions = {}): LoadMonitor {
  const {
    maxPending = 20_000,
    maxLagMs = 1_000,
    everyMs = 250,
    now: clock = () => performance.now(),
  } = options;
  let pending = 0;
  let lateRounds = 0;
  let expected = clock() + everyMs;
  const timer = setInterval(() => {
    const now = clock();
    lateRounds = now - expected > maxLagMs ? lateRounds + 1 : 0;
    expected = now + everyMs;
  }, everyMs);
  timer.unref();
  return {
    begin: () => {
      pending++;
    },
    end: () => {
      pending--;
    },
    isTooHigh: () => pending > maxPending || lateRounds >= ROUNDS,
    stop: () => clearInterval(timer),
  };
}
