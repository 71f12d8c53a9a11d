import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhenResult } from 'cockatiel';

/** The circuit of one candidate: open after failures in a row, then tried with one call at a time. */
export interface Circuit {
  readonly state: () => 'closed' | 'open' | 'half-open';
  /** Whether a call may begin now; when the circuit is open this is so once its rest is over. */
  readonly admits: () => boolean;
  /** Notes that a call begins; the function it gives must be called once: `failed` in a way that counts, `cut` by our side, which says nothing. */
  readonly begin: () => (how: 'answered' | 'failed' | 'cut') => void;
}

const FAILURES_IN_A_ROW = 5;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;

/** Makes a closed circuit. */
export function createCircuit({ now }: { readonly now: () => number } = { now: Date.now }): Circuit {
  let restUntil = 0;
  const restOf = (attempt: number) => {
    const duration = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (attempt - 1));
    restUntil = now() + duration;
    return { duration, next: ({ attempt: later }: { readonly attempt: number }) => restOf(later) };
  };
  const policy = circuitBreaker(
    handleWhenResult((failed) => failed === true),
    {
      breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
      halfOpenAfter: { next: ({ attempt }) => restOf(attempt) },
    },
  );
  return {
    state: () => {
      if (policy.state === CircuitState.HalfOpen) return 'half-open';
      return policy.state === CircuitState.Open ? 'open' : 'closed';
    },
    admits: () =>
      policy.state === CircuitState.Closed || (policy.state === CircuitState.Open && now() >= restUntil),
    begin: () => {
      let end = (_failed: boolean): void => undefined;
      let drop = (): void => undefined;
      const ended = new Promise<boolean>((resolve, reject) => {
        end = resolve;
        drop = () => reject(new Error('cut'));
      });
      // Rejects when the circuit has just opened, or when the call was cut: then nobody counts it.
      policy.execute(() => ended).catch(() => undefined);
      return (how) => {
        // A trial that was cut has not shown that the circuit may be closed.
        if (how === 'cut' && policy.state !== CircuitState.HalfOpen) drop();
        else end(how !== 'answered');
      };
    },
  };
}
