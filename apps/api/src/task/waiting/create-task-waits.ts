import { repeat } from '@image-gateway/shared/lifecycle';
import { type AwaitedTask, createWaitPlaces, type PlaceBounds } from './create-wait-places.js';

/** Requests that wait for the end of a task. */
export interface TaskWaits {
  /**
   * Takes a place for a request, which is free again when `closed` is aborted. Returns null when the account or the process has
   * none left.
   */
  readonly enter: (accountId: string, closed: AbortSignal) => JoinTask | null;
  /** Looks soon whether a task has ended; costs nothing when nobody waits for it. */
  readonly hear: (taskId: string) => void;
  /** True once waits have ended because the process stops. */
  readonly isStopped: () => boolean;
}

/** Joins those who wait for a task, once; null when too many of the account wait for one that holds nothing for them. */
export type JoinTask = (task: AwaitedTask) => WaitForEnd | null;

/** Resolves to `ended` when the task has ended; to `over` after the time, when the client has left, and when the process stops. */
export type WaitForEnd = (ms: number) => Promise<'ended' | 'over'>;

/** Dependencies of the waits. */
export interface WaitsDeps {
  /** Returns those of the tasks that have ended. */
  readonly findEnded: (taskIds: readonly string[]) => Promise<readonly string[]>;
  /** Aborted when the process stops: all waits end at once. */
  readonly signal: AbortSignal;
  /** Called with the number of places that are taken. */
  readonly onCount?: (places: number) => void;
  readonly bounds?: WaitBounds;
}

/** Bounds of the waits; times in milliseconds. */
export interface WaitBounds extends PlaceBounds {
  /** Time between two looks at the rows of all tasks that are waited for. */
  readonly tickMs: number;
  /** Time in which published ends are gathered for one look. */
  readonly gatherMs: number;
}

const BOUNDS: WaitBounds = {
  maxOfAccount: 1_000,
  maxWithoutHold: 100,
  maxPlaces: 20_000,
  tickMs: 1_000,
  gatherMs: 20,
};

type End = (how: 'ended' | 'over') => void;

/**
 * Creates the waits of a process. All of them share one statement a tick. A published end makes the look come earlier, and
 * only the row decides.
 */
export function createTaskWaits({ findEnded, signal, onCount, bounds = BOUNDS }: WaitsDeps): TaskWaits {
  const waiting = new Map<string, Set<End>>();
  const takePlace = createWaitPlaces(bounds, onCount);
  const heard = new Set<string>();
  let gathering: NodeJS.Timeout | undefined;

  const endAll = (ends: Iterable<End>, how: 'ended' | 'over'): void => {
    for (const end of [...ends]) {
      end(how);
    }
  };
  const look = async (taskIds: readonly string[]): Promise<void> => {
    for (const taskId of await findEnded(taskIds)) {
      endAll(waiting.get(taskId) ?? [], 'ended');
    }
  };
  const lookAtHeard = async (): Promise<void> => {
    const taskIds = [...heard].filter((taskId) => waiting.has(taskId));
    heard.clear();
    // A look that failed is repeated by the next tick.
    await (taskIds.length > 0 ? look(taskIds) : undefined)?.catch(() => undefined);
    gathering = undefined;
    gather();
  };
  const gather = (): void => {
    if (heard.size > 0 && !signal.aborted) {
      gathering ??= setTimeout(() => void lookAtHeard(), bounds.gatherMs);
    }
  };
  const wait = (taskId: string, ms: number, closed: AbortSignal): Promise<'ended' | 'over'> =>
    new Promise((resolve) => {
      const onClosed = (): void => end('over');
      const end: End = (how) => {
        clearTimeout(timer);
        closed.removeEventListener('abort', onClosed);
        ends.delete(end);
        if (ends.size === 0) {
          waiting.delete(taskId);
        }
        resolve(how);
      };
      const ends = waiting.get(taskId) ?? new Set();
      waiting.set(taskId, ends.add(end));
      const timer = setTimeout(onClosed, ms);
      closed.addEventListener('abort', onClosed);
      if (closed.aborted || signal.aborted) {
        end('over');
      }
    });

  signal.addEventListener('abort', () => {
    clearTimeout(gathering);
    endAll(
      [...waiting.values()].flatMap((ends) => [...ends]),
      'over',
    );
  });
  // An unreachable database is reported by the requests that read it; the next tick looks again.
  void repeat(async () => (waiting.size > 0 ? look([...waiting.keys()]) : undefined), {
    everyMs: bounds.tickMs,
    signal,
    onError: () => undefined,
  });

  return {
    enter: (accountId, closed) => {
      const nameTask = takePlace(accountId, closed);
      return nameTask && ((task) => (nameTask(task) ? (ms) => wait(task.id, ms, closed) : null));
    },
    hear: (taskId) => {
      if (waiting.has(taskId)) {
        heard.add(taskId);
        gather();
      }
    },
    isStopped: () => signal.aborted,
  };
}
