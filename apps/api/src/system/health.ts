import { TIMED_OUT, withTimeout } from '@image-gateway/shared/concurrency';
import { ok } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { AppError, UnusableServiceError } from '@image-gateway/shared/errors';
import type { ObjectStore } from '@image-gateway/shared/storage';
import type { Handler } from '../http/framework/call.js';
import { listLiveWorkers } from '../provider/list-live-workers.js';

/** `GET /healthz`: the process is alive. */
export function healthz(): Handler {
  return () => ({ status: 200, headers: { 'Cache-Control': 'no-store' }, json: ok({ status: 'ok' }) });
}

/**
 * `GET /readyz`: 200 while PostgreSQL is usable and accepts writes, and the process is not stopping; Redis and storage are only
 * reported.
 */
export function readyz(readiness: Readiness): Handler {
  return async () => {
    const state = await readiness.check();
    if (state.draining || state.postgres !== 'ok') {
      throw new AppError('SERVICE_UNAVAILABLE', {
        publicMessage: state.draining
          ? 'The process is stopping.'
          : (state.reasons?.postgres ?? 'The database is unreachable or accepts no writes.'),
      });
    }
    const { postgres, redis, storage, reasons } = state;
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok({ status: 'ready', postgres, redis, storage, ...(reasons && { reasons }) }),
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
  /** Required change by dependency, for an operator; absent where waiting suffices. */
  readonly reasons?: Readonly<Record<string, string>>;
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
      const state = {
        draining: options.isDraining(),
        postgres: p.condition,
        redis: r.condition,
        storage: s.condition,
      };
      const reasons: Record<string, string> = {};
      for (const [name, { reason }] of Object.entries({ postgres: p, redis: r, storage: s })) {
        if (reason !== undefined) {
          reasons[name] = reason;
        }
      }
      return Object.keys(reasons).length > 0 ? { ...state, reasons } : state;
    },
  };
}

/**
 * Rejects while the object store does not answer, or refuses the images of a living generation worker: one without room still answers.
 * A database that does not answer is the fault of another part.
 */
export async function pingStorage(
  store: Pick<ObjectStore, 'ping'>,
  db: Pick<Database, 'run'>,
): Promise<void> {
  await store.ping();
  const workers = await listLiveWorkers(db).catch(() => []);
  if (workers.some(({ report }) => report.storeFault !== undefined)) {
    throw new UnusableServiceError(
      "The object store takes no images of a generation worker. The worker's log and gateway doctor say why.",
    );
  }
}

interface Outcome {
  readonly condition: Condition;
  readonly reason?: string | undefined;
}

function watch(ping: Ping): () => Promise<Outcome> {
  let last: { readonly outcome: Outcome; readonly at: number } | undefined;
  let pinging: Promise<Outcome> | undefined;

  const pingOnce = async (): Promise<Outcome> => {
    const outcome = await ping().then(
      (): Outcome => ({ condition: 'ok' }),
      (error: unknown): Outcome => ({
        condition: 'degraded',
        reason: error instanceof UnusableServiceError ? error.publicMessage : undefined,
      }),
    );
    last = { outcome, at: performance.now() };
    pinging = undefined;
    return outcome;
  };

  return async () => {
    if (last && performance.now() - last.at < CACHE_TTL_MS) {
      return last.outcome;
    }
    pinging ??= pingOnce();
    const outcome = await withTimeout(TIMEOUT_MS, pinging);
    return outcome === TIMED_OUT ? { condition: 'degraded' } : outcome;
  };
}
