/** Counts the work that is running. */
export interface ActivityCounter {
  /** Runs something and counts it while it runs. */
  readonly count: <T>(work: () => Promise<T>) => Promise<T>;
  readonly active: () => number;
  /** When something last began or ended, in milliseconds since 1970; when the tally was made before that. */
  readonly lastActivityAt: () => number;
  /** Resolves as soon as nothing is running. */
  readonly idle: () => Promise<void>;
}

/** Makes a tally. */
export function createActivityCounter(): ActivityCounter {
  let active = 0;
  let lastActivityAt = Date.now();
  let waiting: (() => void)[] = [];
  return {
    count: async (work) => {
      active += 1;
      lastActivityAt = Date.now();
      try {
        return await work();
      } finally {
        active -= 1;
        lastActivityAt = Date.now();
        if (active === 0) {
          for (const resolve of waiting) resolve();
          waiting = [];
        }
      }
    },
    active: () => active,
    lastActivityAt: () => lastActivityAt,
    idle: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
