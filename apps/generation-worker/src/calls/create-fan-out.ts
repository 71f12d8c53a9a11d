/** Concurrent actions, each with a report. */
export interface FanOut<T> {
  readonly add: (running: Promise<T>) => void;
  /** Records an error outside the running actions. */
  readonly fail: (error: unknown) => void;
  readonly hasFailed: () => boolean;
  /** Returns the number of running actions. */
  readonly size: () => number;
  /** Resolves when one more action has ended; never rejects. */
  readonly next: () => Promise<void>;
  /** Returns all reports so far; throws the first error instead, if there was one. */
  readonly reports: () => readonly T[];
}

/** Creates an empty fan-out. An error of one action does not end the others, because running calls were paid for. */
export function createFanOut<T>(): FanOut<T> {
  const running = new Set<Promise<void>>();
  const reports: T[] = [];
  const errors: unknown[] = [];
  return {
    add: (promise) => {
      const ended: Promise<void> = promise
        .then(
          (report) => void reports.push(report),
          (error: unknown) => void errors.push(error),
        )
        .then(() => void running.delete(ended));
      running.add(ended);
    },
    fail: (error) => void errors.push(error),
    hasFailed: () => errors.length > 0,
    size: () => running.size,
    next: () => Promise.race(running),
    reports: () => {
      if (errors.length > 0) {
        throw errors[0];
      }
      return reports;
    },
  };
}
