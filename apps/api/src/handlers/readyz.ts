import { TIMED_OUT, withTimeout } from '@image-gateway/shared/concurrency';
import { ok } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { Handler } from '../http/framework/call.js';

/** `GET /readyz`: 200 while PostgreSQL accepts writes and the process is not stopping; Redis and storage are only reported. */
export function readyz(readiness: Readiness): Handler {
  return async () => {
    const state = await readiness.check();
    if (state.draining || state.postgres !== 'ok') {
      throw new AppError('SERVICE_UNAVAILABLE', {
        publicMessage: state.draining
          ? 'The process is stopping.'
          : 'The database is unreachable or accepts no writes.',
      });
    }
    const { postgres, redis, storage } = state;
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok({ status: 'ready', postgres, redis, storage }),
    };
  };
}

/** Condition of a dependency. */
export type Condition = 'ok' | 'degraded';

/** State that decides the readiness of the process. */
export interface ReadinessState {
  readonly draining: boolean;
  readonly postgres: Condition;
  readonly redis: Condition;
  readonly storage: Condition;
}

/** Readiness check over the dependencies. */
export interface Readiness {
  /** Resolves within a second, even when dependencies hang. */
  readonly check: () => Promise<ReadinessState>;
}

type Ping = () => Promise<unknown>;

/** Longest wait for a ping, and the time for which its result is reused; both in milliseconds. */
const TIMEOUT_MS = 700;
const CACHE_TTL_MS = 250;

/** Creates the readiness check. Each dependency gets one ping at a time, with a short timeout. */
export function createReadiness(options: {
  readonly isDraining: () => boolean;
  readonly postgres: Ping;
  readonly redis: Ping;
  readonly storage: Ping;
}): Readiness {
  const postgres = watch(options.postgres);
  const redis = watch(options.redis);
  const storage = watch(options.storage);
  return {
    check: async () => {
      const [p, r, s] = await Promise.all([postgres(), redis(), storage()]);
      return { draining: options.isDraining(), postgres: p, redis: r, storage: s };
    },
  };
}

function watch(ping: Ping): () => Promise<Condition> {
  let last: { readonly condition: Condition; readonly at: number } | undefined;
  let pinging: Promise<Condition> | undefined;

  const pingOnce = async (): Promise<Condition> => {
    const condition = await ping().then(
      () => 'ok' as const,
      () => 'degraded' as const,
    );
    last = { condition, at: performance.now() };
    pinging = undefined;
    return condition;
  };

  return async () => {
    if (last && performance.now() - last.at < CACHE_TTL_MS) {
      return last.condition;
    }
    pinging ??= pingOnce();
    const condition = await withTimeout(TIMEOUT_MS, pinging);
    return condition === TIMED_OUT ? 'degraded' : condition;
  };
}
