import { setMaxListeners } from 'node:events';
import { createSemaphore, spreadOverTurns, withTimeout } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';

/** Job of a worker pool; its errors are logged. */
export type Job = () => Promise<void>;

/** Pool of slots in which tasks run, shared by all sources of tasks. */
export interface WorkerPool {
  /** Waits for a free slot and runs a job in it; does nothing when the pool is closing by then. Never throws. */
  readonly run: (job: Job) => Promise<void>;
  /**
   * Takes all slots that are free now and starts the jobs that `fetch` returns for them. Resolves with their number; throws
   * what `fetch` throws.
   */
  readonly tryFill: (fetch: (slots: number) => Promise<readonly Job[]>) => Promise<number>;
  /** Resolves when a job frees its slot, after `timeoutMs` at the latest; never rejects. */
  readonly onSlotFree: (timeoutMs: number) => Promise<void>;
  /** Takes no new jobs, lets running ones go on until `leftMs` is nearly over, then stops them and waits for the remaining time. */
  readonly close: (leftMs: number) => Promise<void>;
  /** Aborted when running attempts must stop. */
  readonly stop: AbortSignal;
}

/** Size and surroundings of a worker pool. */
export interface WorkerPoolOptions {
  readonly slots: number;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'running'>;
}

// Stopped attempts need this time to release their tasks.
const RELEASE_SHARE = 0.2;
const RELEASE_MS = 1_500;

/** Creates a worker pool. */
export function createWorkerPool({ slots, logger, metrics }: WorkerPoolOptions): WorkerPool {
  const semaphore = createSemaphore({ permits: slots });
  const stop = new AbortController();
  // Every running attempt listens; Node takes more than ten listeners for a leak.
  setMaxListeners(0, stop.signal);
  const running = new Set<Promise<unknown>>();
  let closing = false;
  const listeners = new Set<() => void>();

  const track = <T>(promise: Promise<T>): Promise<T> => {
    running.add(promise);
    const forget = (): void => void running.delete(promise);
    promise.then(forget, forget);
    return promise;
  };
  const runIn = (release: () => void, job: Job): Promise<void> => {
    metrics.running.inc();
    const ended = job()
      .catch((error: unknown) => {
        const isTransient = error instanceof AppError && error.retryable;
        logger.log(isTransient ? 'warn' : 'error', 'an attempt failed', { error });
      })
      .then(() => {
        metrics.running.dec();
        release();
        for (const notify of listeners) {
          notify();
        }
      });
    return track(ended);
  };
  const fillSlots = async (fetch: (slots: number) => Promise<readonly Job[]>): Promise<number> => {
    const free = await Promise.all(Array.from({ length: semaphore.available() }, () => semaphore.acquire()));
    try {
      // Claimed jobs run even when the pool is closing by now: they are stopped at once and release their tasks.
      const jobs = closing || free.length === 0 ? [] : await fetch(free.length);
      await spreadOverTurns(jobs, (job) => void runIn(free.pop() ?? (() => undefined), job));
      return jobs.length;
    } finally {
      for (const release of free) {
        release();
      }
    }
  };
  const idle = async (): Promise<void> => {
    while (running.size > 0) {
      await Promise.allSettled(running);
    }
  };

  return {
    run: async (job) => {
      const release = await semaphore.acquire();
      if (closing) {
        release();
      } else {
        await runIn(release, job);
      }
    },
    tryFill: (fetch) => track(fillSlots(fetch)),
    onSlotFree: async (timeoutMs) => {
      let notify = (): void => undefined;
      const slotFree = new Promise<void>((resolve) => {
        notify = resolve;
      });
      listeners.add(notify);
      await withTimeout(timeoutMs, slotFree);
      listeners.delete(notify);
    },
    stop: stop.signal,
    close: async (leftMs) => {
      closing = true;
      for (const notify of listeners) {
        notify();
      }
      const reserveMs = Math.min(RELEASE_MS, leftMs * RELEASE_SHARE);
      await withTimeout(leftMs - reserveMs, idle());
      if (running.size > 0) {
        logger.info('stopping running attempts', { running: running.size });
      }
      stop.abort();
      await withTimeout(reserveMs, idle());
    },
  };
}
