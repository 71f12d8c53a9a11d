/** One limit to check: at most `limit` in any `windowSeconds`, spent evenly, with bursts of up to `limit`. */
export interface LimitCheck {
  readonly policy: string;
  /** Subject of the limit: a key id, an IP address. */
  readonly key: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** 1 takes one; 0 only looks whether one could be taken. 1 unless given. */
  readonly cost?: 0 | 1;
}

/** Parameters of a limit for a decision, in whole microseconds, so that every machine computes the same. */
export interface GcraParameters {
  /** The time that one request is worth. */
  readonly emission: number;
  /** The time that a full burst is worth: exactly `limit` requests. */
  readonly capacity: number;
  readonly cost: 0 | 1;
}

/** Turns a limit into the numbers of the generic cell rate algorithm. */
export function toGcraParameters({ limit, windowSeconds, cost = 1 }: LimitCheck): GcraParameters {
  // Rounded up, so that a burst is worth exactly `limit` requests also when the window does not divide evenly.
  const emission = Math.ceil((windowSeconds * 1_000_000) / limit);
  return { emission, capacity: emission * limit, cost };
}

/** How a set of limits was decided: all of them or none. */
export interface GcraDecision {
  readonly allowed: boolean;
  /** How long until the same set could be allowed, in microseconds; 0 when it is. */
  readonly retryMicros: number;
  /** Per limit, how much of its capacity is used afterwards, in microseconds. */
  readonly used: readonly number[];
}

/** Decides a set of limits from how much of each is used now; `script.ts` does the same inside Redis. */
export function decide(numbers: readonly GcraParameters[], usedNow: readonly number[]): GcraDecision {
  let retryMicros = 0;
  const used = numbers.map(({ capacity }, i) => Math.min(Math.max(usedNow[i] ?? 0, 0), capacity));
  numbers.forEach(({ emission, capacity }, i) => {
    retryMicros = Math.max(retryMicros, (used[i] ?? 0) + emission - capacity);
  });
  const allowed = retryMicros <= 0;
  if (!allowed) {
    return { allowed, retryMicros, used };
  }
  return {
    allowed,
    retryMicros: 0,
    used: numbers.map(({ emission, cost }, i) => (used[i] ?? 0) + emission * cost),
  };
}
