/** Knows whether the process has more to do than it can. */
export interface LoadMonitor {
  readonly begin: () => void;
  readonly end: () => void;
  readonly isTooHigh: () => boolean;
  readonly stop: () => void;
}

/** How it is measured; all times in milliseconds. */
export interface LoadMonitorOptions {
  /** Most requests at a time: far more than a burst of customers, less than memory bears. */
  readonly maxPending?: number;
  /** How late the event loop may be, three times in a row. */
  readonly maxLagMs?: number;
  readonly everyMs?: number;
  readonly now?: () => number;
}

const ROUNDS = 3;

/** Measures requests under way and the lateness of the event loop; one long pause, such as that of a stopped process, is no overload. */
export function createLoadMonitor(options: LoadMonitorOptions = {}): LoadMonitor {
  const {
    maxPending = 20_000,
    maxLagMs = 1_000,
    everyMs = 250,
    now: clock = () => performance.now(),
  } = options;
  let pending = 0;
  let lateRounds = 0;
  let expected = clock() + everyMs;
  const timer = setInterval(() => {
    const now = clock();
    lateRounds = now - expected > maxLagMs ? lateRounds + 1 : 0;
    expected = now + everyMs;
  }, everyMs);
  timer.unref();
  return {
    begin: () => {
      pending++;
    },
    end: () => {
      pending--;
    },
    isTooHigh: () => pending > maxPending || lateRounds >= ROUNDS,
    stop: () => clearInterval(timer),
  };
}
