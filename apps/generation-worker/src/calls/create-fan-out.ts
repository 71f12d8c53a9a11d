/** Things that run at the same time, each with something to report. */
export interface FanOut<T> {
  readonly add: (running: Promise<T>) => void;
  /** Notes that something went wrong beside the running things. */
  readonly fail: (error: unknown) => void;
  readonly hasFailed: () => boolean;
  /** How many are running. */
  readonly size: () => number;
  /** Resolves when one more has ended; never rejects. */
  readonly next: () => Promise<void>;
  /** What was reported so far; throws the first error instead, if there was one. */
  readonly reports: () => readonly T[];
}

/** Makes an empty fan-out. An error in one thing does not end the others: what is under way was paid for. */
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
      if (errors.length > 0) throw errors[0];
      return reports;
    },
  };
}
