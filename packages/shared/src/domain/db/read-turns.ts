import {
  createSemaphore,
  type Semaphore,
  spreadOverTurns,
  startTimer,
} from '../../runtime/concurrency/index.js';
import { AppError } from '../errors/index.js';

/** Sizes and limits of the turns. */
export interface ReadTurnsOptions {
  /** Connections of all owners together. */
  readonly connections: number;
  /** Reads of one owner at a time. */
  readonly perOwner: number;
  /** Maximum of callers of one owner that wait. */
  readonly maxWaiting: number;
  /** Longest wait for a turn, in milliseconds. */
  readonly maxWaitMs: number;
  /** Says that an error concerns the waiting callers too. */
  readonly isUnreachable: (error: unknown) => boolean;
}

/** Read that waits for a turn. */
export interface Read<T> {
  /** Account whose turn it takes. */
  readonly owner: string;
  /** Callers with equal keys that wait at the same time share one run. */
  readonly key: unknown;
  /** True when owners share the statement: they cannot share it while each of them needs a connection. */
  readonly isShared: boolean;
  readonly action: () => Promise<T>;
}

/** Turns of owners with reads. */
export interface ReadTurns {
  /**
   * Runs a read in the turn of its owner. Throws AppError `RATE_LIMITED` when too many wait, `SERVICE_UNAVAILABLE` after the
   * longest wait.
   */
  readonly run: <T>(read: Read<T>) => Promise<T>;
}

/** Caller of a read that has not begun. */
interface Caller<T> {
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the limit of its wait. */
  readonly stopTimer: () => void;
}

/** State of an owner whose reads run or wait. */
interface Turn {
  readonly semaphore: Semaphore;
  /** Callers of the reads that have not begun, by what they read. */
  readonly waiting: Map<unknown, Set<Caller<never>>>;
  /** Number of these callers. */
  waitingCallers: number;
  callers: number;
}

/**
 * Creates the turns. Each owner has but a few reads under way, and waiting owners come in turns, so one with many reads delays
 * itself. Equal reads share a run only before it begins: everyone gets what was there when they asked, or later.
 */
export function createReadTurns(options: ReadTurnsOptions): ReadTurns {
  const { connections, perOwner, maxWaiting, maxWaitMs, isUnreachable } = options;
  const all = createSemaphore({ permits: connections });
  const turns = new Map<string, Turn>();

  const refuseWaiting = (error: unknown): void => {
    all.refuseWaiting(error);
    for (const { semaphore } of turns.values()) {
      semaphore.refuseWaiting(error);
    }
  };
  /** Counts the callers of a read as waiting no longer. */
  const stopWaiting = (turn: Turn, key: unknown, callers: ReadonlySet<Caller<never>>): void => {
    turn.waiting.delete(key);
    turn.waitingCallers -= callers.size;
    for (const { stopTimer } of callers) {
      stopTimer();
    }
  };
  /** Runs a read once it has its turn, for the callers that still wait then. */
  const begin = async <T>(
    turn: Turn,
    { owner, key, isShared, action }: Read<T>,
    callers: Set<Caller<T>>,
  ): Promise<void> => {
    const state = { isWaiting: true };
    const run = async (): Promise<void> => {
      // Callers that come in this turn of the event loop join.
      await new Promise(setImmediate);
      state.isWaiting = false;
      stopWaiting(turn, key, callers);
      if (callers.size === 0) {
        return;
      }
      try {
        const result = await action();
        // Writing hundreds of responses at once would hold up everything else.
        void spreadOverTurns([...callers], ({ resolve }) => resolve(result));
      } catch (error) {
        // Before the next one gets the turn, and meets the same.
        if (isUnreachable(error)) {
          refuseWaiting(error);
        }
        throw error;
      }
    };
    try {
      await turn.semaphore.run(() => (isShared ? run() : all.run(run, { key: owner })));
    } catch (error) {
      if (state.isWaiting) {
        stopWaiting(turn, key, callers);
      }
      for (const { reject } of callers) {
        reject(error);
      }
    }
  };
  const join = <T>(turn: Turn, read: Read<T>): Promise<T> => {
    if (turn.waitingCallers >= maxWaiting) {
      throw new AppError('RATE_LIMITED', {
        publicMessage: 'Too many reads of this account are waiting. Wait for their responses.',
        retryAfterSeconds: 1,
      });
    }
    const known = turn.waiting.get(read.key) as Set<Caller<T>> | undefined;
    const callers = known ?? new Set<Caller<T>>();
    turn.waitingCallers++;
    const result = new Promise<T>((resolve, reject) => {
      const stopTimer = startTimer(maxWaitMs, () => {
        callers.delete(caller);
        turn.waitingCallers--;
        reject(createBusyError(maxWaitMs));
      });
      const caller = { resolve, reject, stopTimer };
      callers.add(caller);
    });
    if (!known) {
      turn.waiting.set(read.key, callers);
      void begin(turn, read, callers);
    }
    return result;
  };

  return {
    run: async (read) => {
      const turn = turns.get(read.owner) ?? {
        semaphore: createSemaphore({ permits: perOwner }),
        waiting: new Map(),
        waitingCallers: 0,
        callers: 0,
      };
      turns.set(read.owner, turn);
      turn.callers++;
      try {
        return await join(turn, read);
      } finally {
        turn.callers--;
        if (turn.callers === 0) {
          turns.delete(read.owner);
        }
      }
    },
  };
}

function createBusyError(maxWaitMs: number): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: `reads are busy: no turn within ${maxWaitMs} ms`,
    publicMessage: 'This could not be read in time: too many reads are waiting. Try again in a moment.',
    retryAfterSeconds: 1,
  });
}
