import { createSemaphore, type Semaphore } from '@image-gateway/shared/concurrency';
import type { Candidate } from '../providers/port.js';

/** Task that needs a permit. */
export interface PermitTask {
  readonly id: string;
  readonly accountId: string;
  /** Number of the attempt that gave its place back. */
  readonly attempt: number;
}

/** Permits of routes and of provider instances: how many calls this process has under way at a time. */
export interface Permits {
  /** Returns true when a task would get a permit of the candidate now. */
  readonly isFree: (candidate: Candidate, task: Pick<PermitTask, 'id'>) => boolean;
  /** Takes a permit at once and returns the function that releases it, once; null when none is free. */
  readonly tryAcquire: (
    candidate: Candidate,
    task: Pick<PermitTask, 'id' | 'accountId'>,
  ) => (() => void) | null;
  /**
   * Waits in the background for a permit of any of the candidates, in turns of accounts. Reserves it for the task while
   * `wake` runs, which gets the attempt that gave its place back last.
   */
  readonly wait: (
    candidates: readonly Candidate[],
    task: PermitTask,
    wake: (attempt: number) => Promise<void>,
  ) => void;
  /** Time in milliseconds after which a waiting task is due again, should nobody wake it; it rises with their number. */
  readonly getDueMs: () => number;
}

interface Reservation {
  readonly route: string;
  readonly release: () => void;
}

interface WaitingTask {
  readonly controller: AbortController;
  attempt: number;
}

const MIN_DUE_MS = 2_000;
const MAX_DUE_MS = 60_000;
const DUE_MS_A_TASK = 20;
/** Tasks above this number come back by their due time only. */
const MAX_WAITING = 10_000;

/** Creates the permits of this process; a limit that has changed takes effect with the next call. */
export function createPermits(): Permits {
  const semaphores = new Map<string, { readonly semaphore: Semaphore; size: number }>();
  const reservations = new Map<string, Reservation>();
  const waiting = new Map<string, WaitingTask>();

  const getSemaphore = (name: string, size: number): Semaphore => {
    const known = semaphores.get(name) ?? { semaphore: createSemaphore({ permits: size }), size };
    semaphores.set(name, known);
    if (known.size !== size) {
      known.size = size;
      known.semaphore.resize(size);
    }
    return known.semaphore;
  };
  /** The route first, so that tasks never wait for each other. */
  const listSemaphores = (candidate: Candidate): Semaphore[] => {
    const { provider, concurrency, providerConcurrency = null } = candidate;
    const route = getSemaphore(`route ${getRoute(candidate)}`, concurrency);
    return providerConcurrency === null
      ? [route]
      : [route, getSemaphore(`provider ${provider.name}`, providerConcurrency)];
  };
  const acquire = async (candidate: Candidate, key: string, signal: AbortSignal): Promise<Reservation> => {
    const releases: (() => void)[] = [];
    try {
      for (const semaphore of listSemaphores(candidate)) {
        releases.push(await semaphore.acquire({ key, signal }));
      }
    } catch (error) {
      releaseAll(releases);
      throw error;
    }
    return { route: getRoute(candidate), release: () => releaseAll(releases) };
  };
  const acquireAny = async (
    candidates: readonly Candidate[],
    key: string,
    controller: AbortController,
  ): Promise<Reservation | null> => {
    const routes = new Map(candidates.map((candidate) => [getRoute(candidate), candidate]));
    const all = [...routes.values()].map((candidate) => acquire(candidate, key, controller.signal));
    const first = await Promise.any(all).catch(() => null);
    controller.abort();
    for (const { status, ...result } of await Promise.allSettled(all)) {
      if (status === 'fulfilled' && 'value' in result && result.value !== first) {
        result.value.release();
      }
    }
    return first;
  };

  return {
    isFree: (candidate, { id }) =>
      reservations.get(id)?.route === getRoute(candidate) ||
      listSemaphores(candidate).every((semaphore) => semaphore.available() > 0),
    tryAcquire: (candidate, { id, accountId: key }) => {
      const reserved = reservations.get(id);
      if (reserved?.route === getRoute(candidate)) {
        reservations.delete(id);
        return reserved.release;
      }
      const releases: (() => void)[] = [];
      for (const semaphore of listSemaphores(candidate)) {
        const release = semaphore.tryAcquire({ key });
        if (release === null) {
          releaseAll(releases);
          return null;
        }
        releases.push(release);
      }
      waiting.get(id)?.controller.abort();
      return () => releaseAll(releases);
    },
    wait: (candidates, { id, accountId, attempt }, wake) => {
      const known = waiting.get(id);
      if (known) {
        known.attempt = attempt;
        return;
      }
      if (waiting.size >= MAX_WAITING) {
        return;
      }
      const task = { controller: new AbortController(), attempt };
      waiting.set(id, task);
      const run = async (): Promise<void> => {
        const reservation = await acquireAny(candidates, accountId, task.controller);
        waiting.delete(id);
        if (reservation === null) {
          return;
        }
        reservations.set(id, reservation);
        try {
          await wake(task.attempt);
        } finally {
          if (reservations.get(id) === reservation) {
            reservations.delete(id);
            reservation.release();
          }
        }
      };
      run().catch(() => undefined);
    },
    getDueMs: () => Math.min(MAX_DUE_MS, Math.max(MIN_DUE_MS, waiting.size * DUE_MS_A_TASK)),
  };
}

function getRoute({ route, provider, model }: Candidate): string {
  return `${route ?? ''} ${provider.name} ${model}`;
}

function releaseAll(releases: readonly (() => void)[]): void {
  for (const release of releases) {
    release();
  }
}
