import type { Semaphore } from '@image-gateway/shared/concurrency';
import { LIMITS } from '@image-gateway/shared/contract';
import type { Attempt } from '../attempt/attempt.js';
import type { Claims } from '../claiming/create-claims.js';
import { InputsBusyError } from '../inputs/inputs-busy-error.js';
import type { LoadTask } from '../inputs/load-input-images.js';
import type { InputImage } from '../providers/port.js';

/** Dependencies of the input images of an attempt. */
export interface InputsDeps {
  readonly loadImages: (task: LoadTask) => Promise<readonly InputImage[]>;
  /** Semaphore with one permit for each byte of loaded input images that this process may hold, over all tasks. */
  readonly heldInputBytes: Pick<Semaphore, 'acquire'>;
  readonly startLoading: Claims['startLoading'];
}

/** Input images of one attempt. */
export interface Inputs {
  /** Loads them with the first call, and returns the same ones afterwards. */
  readonly get: () => Promise<readonly InputImage[]>;
  /** Frees their memory; must be called at the end of the attempt. */
  readonly release: () => void;
}

/** Memory that is reserved for an image before it is loaded. Nearly all are smaller, since larger ones are encoded again. */
const USUAL_BYTES = 2 * 1024 * 1024;
/** Longest wait for the memory of a larger image. It ends the attempt, so that no two tasks wait for each other. */
const MEMORY_WAIT_MS = 10_000;
/** Total time of loading the input images of a task: enough for nine consecutive ones. */
const TOTAL_MS = LIMITS.inputImages * LIMITS.inputImageTimeoutMs;
/** One for all attempts: to make an error for each costs more than all else here. */
const DROPPED = new Error('the attempt needs its input images no longer');

/**
 * Returns the input images of an attempt, which are loaded for its first call. Loading rejects with InputImageError for an
 * unusable image, and with InputsBusyError when the task should be released.
 */
export function loadInputs(deps: InputsDeps, attempt: Pick<Attempt, 'task' | 'signal'>): Inputs {
  const { accountId, imageUrls, mask } = attempt.task;
  const dropped = new AbortController();
  const releases: (() => void)[] = [];
  const hold = async (count: number, signal: AbortSignal): Promise<void> => {
    const release = await deps.heldInputBytes.acquire({ count, key: accountId, signal });
    if (dropped.signal.aborted) {
      release();
    } else {
      releases.push(release);
    }
  };
  const loadWithin = async (): Promise<readonly InputImage[]> => {
    const busy = new AbortController();
    const signal = AbortSignal.any([attempt.signal, dropped.signal, busy.signal]);
    const within = async <T>(
      ms: number,
      missing: 'memory' | 'time',
      action: () => Promise<T>,
    ): Promise<T> => {
      const timer = setTimeout(() => busy.abort(new InputsBusyError(missing)), ms);
      return action().finally(() => clearTimeout(timer));
    };
    await hold(new Set(imageUrls).size * USUAL_BYTES, signal);
    const holdMore = async (bytes: number): Promise<void> => {
      if (bytes > USUAL_BYTES) {
        await within(MEMORY_WAIT_MS, 'memory', () => hold(bytes - USUAL_BYTES, signal));
      }
    };
    const task = { accountId, imageUrls, mask, signal, hold: holdMore };
    return within(TOTAL_MS, 'time', () => deps.loadImages(task));
  };
  const load = async (): Promise<readonly InputImage[]> => {
    if (imageUrls.length === 0) {
      return [];
    }
    const endLoading = deps.startLoading(accountId);
    if (endLoading === null) {
      throw new InputsBusyError('slot');
    }
    return loadWithin().finally(endLoading);
  };
  let loading: Promise<readonly InputImage[]> | undefined;
  return {
    get: () => {
      loading ??= load();
      return loading;
    },
    release: () => {
      dropped.abort(DROPPED);
      for (const release of releases) {
        release();
      }
    },
  };
}
