/** Result of `withTimeout` when the time has passed. */
export const TIMED_OUT: unique symbol = Symbol('timed out');

/**
 * Returns the value of a promise, or `TIMED_OUT` after `ms` milliseconds (at most 2^31 - 1). Throws what the promise rejects
 * with in time; a later rejection is dropped. A result that arrived while the process was stopped or busy still counts.
 */
export async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | typeof TIMED_OUT> {
  let cancel = (): void => undefined;
  const elapsed = new Promise<typeof TIMED_OUT>((resolve) => {
    cancel = startTimer(ms, () => resolve(TIMED_OUT));
  });
  try {
    return await Promise.race([promise, elapsed]);
  } finally {
    cancel();
  }
}

/**
 * Starts a timer of `ms` milliseconds (at most 2^31 - 1) and returns the function that cancels it. After a pause of the whole
 * process, timers fire before sockets are read. The timer lets the event loop read them first, so what arrived in time counts.
 */
export function startTimer(ms: number, onElapsed: () => void): () => void {
  let canceled = false;
  const timer = setTimeout(() => {
    setImmediate(() => setImmediate(() => !canceled && onElapsed()));
  }, ms);
  return () => {
    canceled = true;
    clearTimeout(timer);
  };
}

/** Size of a semaphore and its longest wait. */
export interface SemaphoreOptions {
  /** Number of permits: a positive integer. */
  readonly permits: number;
  /**
   * Longest wait for permits, in milliseconds, and the error that ends it; callers wait without a limit unless given. With `maxWaiting`,
   * no more callers of one key wait: each further one is refused with that error at once.
   */
  readonly timeout?: { readonly ms: number; readonly createError: () => Error; readonly maxWaiting?: number };
  /**
   * Limits a key that holds permits: it gets more only while so many times as many stay free as it then holds. 0 unless
   * given. With 1 a key holds half of all permits, with 3 a quarter.
   */
  readonly leavesRoom?: number;
}

/** Terms of one acquisition. */
export interface AcquireOptions {
  /** Permits to take at once, 1 unless given; more than exist count as all of them. */
  readonly count?: number;
  /** Owner of the request, for example an account. Waiting owners are served in turns, those that hold fewest permits first. */
  readonly key?: string;
  /** Ends the wait; the acquisition then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Semaphore: limits how many actions run at a time. */
export interface Semaphore {
  /** Runs an action while it holds a permit. Rejects as `acquire` does, and with what the action throws. */
  readonly run: <T>(action: () => Promise<T>, options?: AcquireOptions) => Promise<T>;
  /**
   * Waits for permits and returns the function that releases them, once. Rejects after the longest wait, at an abort and by
   * `refuseWaiting`.
   */
  readonly acquire: (options?: AcquireOptions) => Promise<() => void>;
  /** Takes permits at once and returns the function that releases them, once; null when `acquire` would wait. */
  readonly tryAcquire: (options?: Pick<AcquireOptions, 'count' | 'key'>) => (() => void) | null;
  /** Changes the number of permits; those in use are kept, and nobody gets one until few enough are. */
  readonly resize: (permits: number) => void;
  /** Number of permits that `acquire` would grant at once: 0 while callers are waiting. */
  readonly available: () => number;
  /** Rejects all callers that are waiting now. */
  readonly refuseWaiting: (error: unknown) => void;
}

interface Waiter {
  readonly count: number;
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

/** State of a key that holds permits or waits for them. */
interface KeyState {
  readonly key: string | undefined;
  readonly waiting: Set<Waiter>;
  held: number;
  /** Number of the grant that served the key last. */
  lastGrant: number;
}

/**
 * Creates a semaphore. Callers of one key are served in the order of arrival. The next caller in turn is never passed
 * by a later one that needs fewer permits, so large requests do not starve. With `leavesRoom`, one key cannot hold all
 * permits for long. With 1 the next key finds half of them free, the one after it a quarter.
 */
export function createSemaphore({ permits: size, timeout, leavesRoom = 0 }: SemaphoreOptions): Semaphore {
  const states = new Map<string | undefined, KeyState>();
  let permits = size;
  let free = permits;
  let grants = 0;

  const mayHold = ({ held }: KeyState, count: number): boolean =>
    leavesRoom === 0 || held === 0 || (held + count) * leavesRoom <= free - count;
  const findNext = (): KeyState | undefined => {
    let next: KeyState | undefined;
    for (const state of states.values()) {
      const [waiter] = state.waiting;
      if (waiter && mayHold(state, waiter.count) && (next === undefined || isBefore(state, next))) {
        next = state;
      }
    }
    return next;
  };
  const hold = (state: KeyState, count: number): void => {
    free -= count;
    state.held += count;
    grants += 1;
    state.lastGrant = grants;
  };
  const forgetIfIdle = ({ key, waiting, held }: KeyState): void => {
    if (held === 0 && waiting.size === 0) {
      states.delete(key);
    }
  };
  const serve = (): void => {
    for (let state = findNext(); state; state = findNext()) {
      const [waiter] = state.waiting;
      if (!waiter || waiter.count > free) {
        return;
      }
      state.waiting.delete(waiter);
      hold(state, waiter.count);
      waiter.grant();
    }
  };
  const wait = (state: KeyState, count: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        state.waiting.delete(waiter);
        cancelTimer?.();
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        count,
        grant: () => {
          stopWaiting();
          resolve();
        },
        refuse: (error) => {
          stopWaiting();
          forgetIfIdle(state);
          reject(error);
        },
      };
      const giveUp = (error: unknown): void => {
        waiter.refuse(error);
        // Callers behind a large request may fit now.
        serve();
      };
      const onAbort = (): void => giveUp(signal?.reason);
      const cancelTimer = timeout && startTimer(timeout.ms, () => giveUp(timeout.createError()));
      signal?.addEventListener('abort', onAbort, { once: true });
      state.waiting.add(waiter);
      // A key that holds fewer permits comes before those that wait already.
      serve();
    });

  const acquire = async ({ key, signal, ...options }: AcquireOptions = {}): Promise<() => void> => {
    signal?.throwIfAborted();
    const count = Math.min(options.count ?? 1, permits);
    const state = getState(key);
    if (isGranted(state, count)) {
      hold(state, count);
    } else if (timeout?.maxWaiting !== undefined && state.waiting.size >= timeout.maxWaiting) {
      throw timeout.createError();
    } else {
      await wait(state, count, signal);
    }
    return createRelease(state, count);
  };
  const getState = (key: string | undefined): KeyState => {
    const state = states.get(key) ?? { key, waiting: new Set(), held: 0, lastGrant: 0 };
    states.set(key, state);
    return state;
  };
  const isGranted = (state: KeyState, count: number): boolean =>
    state.waiting.size === 0 && findNext() === undefined && count <= free && mayHold(state, count);
  const createRelease = (state: KeyState, count: number): (() => void) => {
    let released = false;
    return () => {
      if (released) {
        return;
      }
      released = true;
      free += count;
      state.held -= count;
      forgetIfIdle(state);
      serve();
    };
  };

  return {
    acquire,
    tryAcquire: ({ key, ...options } = {}) => {
      const count = Math.min(options.count ?? 1, permits);
      const state = getState(key);
      if (!isGranted(state, count)) {
        forgetIfIdle(state);
        return null;
      }
      hold(state, count);
      return createRelease(state, count);
    },
    resize: (next) => {
      free += next - permits;
      permits = next;
      serve();
    },
    run: async (action, options) => {
      const release = await acquire(options);
      try {
        return await action();
      } finally {
        release();
      }
    },
    available: () => (findNext() === undefined ? Math.max(0, free) : 0),
    refuseWaiting: (error) => {
      for (const { waiting } of [...states.values()]) {
        for (const { refuse } of [...waiting]) {
          refuse(error);
        }
      }
    },
  };
}

function isBefore(one: KeyState, other: KeyState): boolean {
  return one.held === other.held ? one.lastGrant < other.lastGrant : one.held < other.held;
}
