import { repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Sweep } from './sweep-items.js';

/** Dependencies of the sweeps. */
export interface SweepDeps {
  /** Rounds by name. */
  readonly sweeps: Readonly<Record<string, Sweep>>;
  readonly logger: Logger;
  readonly sweepMs: number;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Ends them. */
  readonly signal: AbortSignal;
}

/** Name of the only sweep without a pause: it waits for free slots by itself. */
export const CLAIM_DIRECTLY = 'claim-directly';

/** Running sweeps. */
export interface Sweeps {
  /** Resolves when the signal is aborted and the last rounds are over. */
  readonly ended: Promise<unknown>;
  /** Returns the name of a sweep without progress, or null. */
  readonly hung: () => string | null;
}

/** Longer than any single item of a sweep may take, whose timeouts are at most ten seconds. */
const MAX_SILENCE_MS = 120_000;
/** Keeps the sweeps of many workers out of step. */
const JITTER = 0.2;

/** Starts all repeated work, each in a loop of its own that no error ends. */
export function startSweeps({ sweeps, sweepMs, signal, logger, now, random }: SweepDeps): Sweeps {
  const watch = watchLoops(Object.keys(sweeps), { withinMs: MAX_SILENCE_MS + 2 * sweepMs, now });

  const loop = ([what, sweep]: [string, Sweep]): Promise<void> => {
    const noteProgress = (): void => watch.noteProgress(what);
    const runRound = async (): Promise<void> => {
      // Further batches follow at once while there is more to do.
      while ((await sweep(noteProgress).finally(noteProgress)) && !signal.aborted) {}
    };
    return repeat(runRound, {
      everyMs: what === CLAIM_DIRECTLY ? 0 : sweepMs * (1 - JITTER * random()),
      signal,
      onError: (error) => logger.warn('a sweep failed', { what, error }),
    });
  };

  return { ended: Promise.all(Object.entries(sweeps).map(loop)), hung: watch.hung };
}

/** Watch over loops; names one that makes no progress. */
interface LoopWatch {
  /** Records that a loop has ended a round or an item, with or without success. */
  readonly noteProgress: (loop: string) => void;
  /** Name of a loop without progress for too long, or null. */
  readonly hung: () => string | null;
}

/** Creates the watch over some loops. Each must make progress at least every `withinMs`, which is longer than any single item may take. */
export function watchLoops(
  loops: readonly string[],
  { withinMs, now }: { readonly withinMs: number; readonly now: () => number },
): LoopWatch {
  const lastAt = new Map(loops.map((loop) => [loop, now()]));
  return {
    noteProgress: (loop) => void lastAt.set(loop, now()),
    hung: () => [...lastAt].find(([, at]) => now() - at > withinMs)?.[0] ?? null,
  };
}
