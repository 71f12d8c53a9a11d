import { decide, type GcraDecision, type GcraParameters } from './gcra.js';

/** Limits in the memory of this process. */
export interface MemoryLimits {
  /** Decides a set of limits at a time in whole microseconds. */
  readonly decide: (
    keys: readonly string[],
    numbers: readonly GcraParameters[],
    nowMicros: number,
  ) => GcraDecision;
  readonly size: () => number;
}

/** Keeps limits in memory; when there are more than `capacity`, those that were not used for longest are forgotten. */
export function createMemoryLimits(capacity: number): MemoryLimits {
  // A Map keeps the order of insertion, so that the first entries are the ones not written for longest.
  const fullAt = new Map<string, number>();
  return {
    decide: (keys, numbers, nowMicros) => {
      const decision = decide(
        numbers,
        keys.map((key) => (fullAt.get(key) ?? nowMicros) - nowMicros),
      );
      if (!decision.allowed) {
        return decision;
      }
      keys.forEach((key, i) => {
        if (numbers[i]?.cost !== 1) {
          return;
        }
        fullAt.delete(key);
        fullAt.set(key, nowMicros + (decision.used[i] ?? 0));
      });
      for (const key of fullAt.keys()) {
        if (fullAt.size <= capacity) {
          break;
        }
        fullAt.delete(key);
      }
      return decision;
    },
    size: () => fullAt.size,
  };
}
