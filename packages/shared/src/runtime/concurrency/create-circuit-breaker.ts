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
  /** Returns the rest of the break of an open circuit in milliseconds; 0 when there is none. */
  readonly leftMs: () => number;
  /** Records that a call begins. The returned function must be called once. A canceled call counts neither way. */
  readonly begin: () => (outcome: 'succeeded' | 'failed' | 'canceled') => void;
}

/** Creates a closed circuit breaker. */
export function createCircuitBreaker({
  maxFailures,
  breakMs,
  now = () => performance.now(),
}: CircuitBreakerOptions): CircuitBreaker {
  let state: 'closed' | 'open' | 'half-open' = 'closed';
  let failures = 0;
  let openings = 0;
  let openUntil = 0;
  /** Rises when the circuit opens: calls that began before tell nothing new when they end. */
  let epoch = 0;
  const open = (): void => {
    state = 'open';
    epoch += 1;
    openings += 1;
    openUntil = now() + breakMs(openings);
  };
  const close = (): void => {
    state = 'closed';
    failures = 0;
    openings = 0;
  };
  const admits = (): boolean => state === 'closed' || (state === 'open' && now() >= openUntil);
  return {
    state: () => state,
    admits,
    leftMs: () => (state === 'open' ? Math.max(0, openUntil - now()) : 0),
    begin: () => {
      const counts = state === 'closed';
      const isTrial = !counts && admits();
      const begunIn = epoch;
      if (isTrial) {
        state = 'half-open';
      }
      return (outcome) => {
        if (isTrial) {
          // A canceled trial has not shown that the circuit may be closed.
          return outcome === 'succeeded' ? close() : open();
        }
        if (!counts || begunIn !== epoch || outcome === 'canceled') {
          return;
        }
        failures = outcome === 'failed' ? failures + 1 : 0;
        if (failures >= maxFailures) {
          open();
        }
      };
    },
  };
}
