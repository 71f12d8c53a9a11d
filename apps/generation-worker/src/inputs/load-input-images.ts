import type { Semaphore } from '@image-gateway/shared/concurrency';
import { LIMITS } from '@image-gateway/shared/contract';
import type { InputImage } from '../providers/port.js';
import { InputImageError } from './input-image-error.js';
import type { InputEntry } from './load-input.js';

/** Dependencies of loading the input images of a task. */
export interface LoadDeps {
  /** Semaphore with one permit for each byte that images of this process may take while they are loaded, over all tasks. */
  readonly loadingBytes: Pick<Semaphore, 'run'>;
  readonly loadInput: (entry: InputEntry) => Promise<InputImage>;
}

/** Task whose input images are loaded. */
export interface LoadTask {
  readonly accountId: string;
  readonly imageUrls: readonly string[];
  /** Mask of the first image, `input:<id>`; null without one. */
  readonly mask: string | null;
  readonly signal: AbortSignal;
  /** Waits for memory to keep a loaded image of that many bytes. */
  readonly hold: (bytes: number) => Promise<void>;
}

/**
 * Loads all input images of a task, concurrently as far as memory permits, each URL once. Throws the InputImageError of the
 * first unusable image in the order of the request, whichever failed first in time.
 */
export async function loadInputImages(
  { loadingBytes, loadInput }: LoadDeps,
  { accountId, imageUrls, mask, signal, hold }: LoadTask,
): Promise<InputImage[]> {
  const urls = [...new Set(imageUrls)];
  const stops = urls.map(() => new AbortController());
  const load = async (url: string, position: number): Promise<InputImage> => {
    const stop = stops[position]?.signal;
    const owner = { key: accountId, signal: stop ? AbortSignal.any([signal, stop]) : signal };
    const terms = { accountId, signal: owner.signal };
    const loadAndHold = async (): Promise<InputImage> => {
      const own = position === 0 ? (mask ?? undefined) : undefined;
      const image = await loadInput({ url, index: imageUrls.indexOf(url), mask: own, ...terms });
      await hold(image.bytes.length + (image.mask?.bytes.length ?? 0));
      return image;
    };
    try {
      return await loadingBytes.run(loadAndHold, { ...owner, count: LIMITS.inputImageBytes });
    } catch (error) {
      // Later URLs of the request can no longer change the reason.
      if (error instanceof InputImageError) {
        for (const later of stops.slice(position + 1)) {
          later.abort();
        }
      }
      throw error;
    }
  };
  const results = await Promise.allSettled(urls.map(load));
  signal.throwIfAborted();
  const images = new Map<string, InputImage>();
  for (const [position, result] of results.entries()) {
    if (result.status === 'rejected') {
      throw result.reason;
    }
    images.set(urls[position] ?? '', result.value);
  }
  return imageUrls.flatMap((url) => images.get(url) ?? []);
}
