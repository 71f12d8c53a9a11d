import { setMaxListeners } from 'node:events';
import { AppError } from '@image-gateway/shared/errors';
import { pause } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { createPermits } from './create-permits.js';

/** A piece of work; what it throws is logged. */
export type Job = () => Promise<void>;

/** The places in which tasks are worked on, shared by everything that brings tasks. */
export interface Workshop {
  /** Waits for a place and works in it; does nothing when the workshop is closing by then. Never throws. */
  readonly work: (job: Job) => Promise<void>;
  /** Takes all places that are free at the moment and works on what is brought for them; resolves with the number of jobs when they have begun. Throws what `bring` throws. */
  readonly fill: (bring: (places: number) => Promise<readonly Job[]>) => Promise<number>;
  /** Resolves when a place is given back, after `withinMs` at the latest; never rejects. */
  readonly freed: (withinMs: number) => Promise<void>;
  /** Takes no new jobs, gives running ones time until `leftMs` is nearly over, then stops them and waits for the rest of it. */
  readonly close: (leftMs: number) => Promise<void>;
  /** Aborted when running attempts must stop. */
  readonly stop: AbortSignal;
}

/** How a workshop is made. */
export interface WorkshopOptions {
  readonly places: number;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'running'>;
}

// What attempts that were stopped need to give their tasks back.
const RELEASE_SHARE = 0.2;
const RELEASE_MS = 1_500;

/** Makes a workshop. */
export function createWorkshop({ places, logger, metrics }: WorkshopOptions): Workshop {
  const permits = createPermits(places);
  const stop = new AbortController();
  // Every running attempt listens; Node takes more than ten listeners for a leak.
  setMaxListeners(0, stop.signal);
  const running = new Set<Promise<unknown>>();
  let closing = false;
  const waiting = new Set<() => void>();

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
        const passes = error instanceof AppError && error.retryable;
        logger.log(passes ? 'warn' : 'error', 'an attempt broke', { error });
      })
      .then(() => {
        metrics.running.dec();
        release();
        for (const tell of waiting) tell();
      });
    return track(ended);
  };
  const fillPlaces = async (bring: (places: number) => Promise<readonly Job[]>): Promise<number> => {
    const free = await Promise.all(Array.from({ length: permits.free() }, () => permits.acquire(1)));
    try {
      // What was claimed is run even when the workshop is closing by now: it is stopped at once and given back.
      const jobs = closing || free.length === 0 ? [] : await bring(free.length);
      for (const job of jobs) void runIn(free.pop() ?? (() => undefined), job);
      return jobs.length;
    } finally {
      for (const release of free) release();
    }
  };
  const idle = async (): Promise<void> => {
    while (running.size > 0) await Promise.allSettled(running);
  };

  return {
    work: async (job) => {
      const release = await permits.acquire(1);
      if (closing) release();
      else await runIn(release, job);
    },
    fill: (bring) => track(fillPlaces(bring)),
    freed: (withinMs) =>
      new Promise((resolve) => {
        const tell = (): void => {
          clearTimeout(timer);
          waiting.delete(tell);
          resolve();
        };
        const timer = setTimeout(tell, withinMs);
        waiting.add(tell);
      }),
    stop: stop.signal,
    close: async (leftMs) => {
      closing = true;
      for (const tell of waiting) tell();
      const reserveMs = Math.min(RELEASE_MS, leftMs * RELEASE_SHARE);
      await Promise.race([idle(), pause(leftMs - reserveMs)]);
      if (running.size > 0) logger.info('stopping running attempts', { running: running.size });
      stop.abort();
      await Promise.race([idle(), pause(reserveMs)]);
    },
  };
}
