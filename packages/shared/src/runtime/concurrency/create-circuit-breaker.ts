import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhenResult } from 'cockatiel';

/** Terms of a circuit breaker. */
export interface CircuitBreakerOptions {
  /** Consecutive failures that open the circuit. */
  readonly maxFailures: number;
  /** Returns the break before a trial call, in milliseconds; `attempt` counts the openings in a row, from 1. */
  readonly breakMs: (attempt: number) => number;
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Circuit breaker: open after consecutive failures, then tried with one call at a time. */
export interface CircuitBreaker {
  readonly state: () => 'closed' | 'open' | 'half-open';
  /** Returns true when a call may begin now; an open circuit admits one trial call after its break. */
  readonly admits: () => boolean;
  /** Records that a call begins. The returned function must be called once; it resolves when the state has changed. A canceled call counts neither way. */
  readonly begin: () => (outcome: 'succeeded' | 'failed' | 'canceled') => Promise<void>;
}

/** Creates a closed circuit breaker. */
export function createCircuitBreaker({
  maxFailures,
  breakMs,
  now = () => performance.now(),
}: CircuitBreakerOptions): CircuitBreaker {
  let openUntil = 0;
  const isBreakOver = (): boolean => now() >= openUntil;
  const startBreak = (attempt: number) => {
    openUntil = now() + breakMs(attempt);
    return {
      // The library compares this with the wall clock, which may jump. The monotonic clock decides instead.
      get duration() {
        return isBreakOver() ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
      },
      next: (context: { readonly attempt: number }) => startBreak(context.attempt),
    };
  };
  const policy = circuitBreaker(
    handleWhenResult((failed) => failed === true),
    {
      breaker: new ConsecutiveBreaker(maxFailures),
      halfOpenAfter: { next: ({ attempt }) => startBreak(attempt) },
    },
  );
  return {
    state: () => {
      if (policy.state === CircuitState.HalfOpen) {
        return 'half-open';
      }
      return policy.state === CircuitState.Open ? 'open' : 'closed';
    },
    admits: () =>
      policy.state === CircuitState.Closed || (policy.state === CircuitState.Open && isBreakOver()),
    begin: () => {
      let end = (_failed: boolean): void => undefined;
      let drop = (): void => undefined;
      const ended = new Promise<boolean>((resolve, reject) => {
        end = resolve;
        drop = () => reject(new Error('canceled'));
      });
      // An open circuit never waits for the call, and its cancellation must not end the process as an unhandled rejection.
      ended.catch(() => undefined);
      // Rejects when the circuit has just opened, or when the call was canceled: it does not count then.
      const recorded = policy
        .execute(() => ended)
        .then(
          () => undefined,
          () => undefined,
        );
      return (outcome) => {
        // A canceled trial has not shown that the circuit may be closed.
        if (outcome === 'canceled' && policy.state !== CircuitState.HalfOpen) {
          drop();
        } else {
          end(outcome !== 'succeeded');
        }
        return recorded;
      };
    },
  };
}
