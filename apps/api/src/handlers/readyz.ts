import { ok } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { Handler } from '../http/framework/call.js';
import type { Readiness } from '../http/readiness.js';

/** `GET /readyz`: 200 while PostgreSQL answers, takes writes, and the process is not stopping; Redis and storage are only reported. */
export function readyz(readiness: Readiness): Handler {
  return async () => {
    const state = await readiness.check();
    if (state.draining || state.postgres !== 'ok')
      throw new AppError('SERVICE_UNAVAILABLE', {
        publicMessage: state.draining
          ? 'The process is stopping.'
          : 'The database does not answer or takes no writes.',
      });
    const { postgres, redis, storage } = state;
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok({ status: 'ready', postgres, redis, storage }),
    };
  };
}
