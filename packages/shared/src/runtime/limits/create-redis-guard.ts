import { createCircuitBreaker, TIMED_OUT, withTimeout } from '../concurrency/index.js';

/** Guard that keeps callers from waiting for an unresponsive Redis. */
export interface RedisGuard {
  /** Runs an action. Resolves with null after its timeout or failure, and at once while Redis is known to be unresponsive. */
  readonly run: <T>(action: () => Promise<T>) => Promise<T | null>;
}

/** Terms of a Redis guard; times in milliseconds. */
export interface RedisGuardOptions {
  /** Probes Redis in the background while its circuit is open. */
  readonly ping: () => Promise<unknown>;
  /** Longest time of an action and of a ping; 500 unless given. */
  readonly timeoutMs?: number;
  /** Time after a failure in which Redis is not probed; 1000 unless given. */
  readonly breakMs?: number;
}

const TIMEOUT_MS = 500;
const BREAK_MS = 1_000;

/** Creates the guard. The first failure opens its circuit; from then on no caller waits until a background ping succeeds. */
export function createRedisGuard({
  ping,
  timeoutMs = TIMEOUT_MS,
  breakMs = BREAK_MS,
}: RedisGuardOptions): RedisGuard {
  const breaker = createCircuitBreaker({ maxFailures: 1, breakMs: () => breakMs });

  const attempt = async <T>(action: () => Promise<T>): Promise<T | null> => {
    const end = breaker.begin();
    const result = await withTimeout(timeoutMs, action()).catch(() => TIMED_OUT);
    end(result === TIMED_OUT ? 'failed' : 'succeeded');
    return result === TIMED_OUT ? null : (result as T);
  };

  return {
    run: async (action) => {
      if (breaker.state() === 'closed') {
        return attempt(action);
      }
      if (breaker.admits()) {
        void attempt(ping);
      }
      return null;
    },
  };
}
