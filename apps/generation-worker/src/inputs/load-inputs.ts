import type { Semaphore } from '@image-gateway/shared/concurrency';
import { LIMITS } from '@image-gateway/shared/contract';
import type { InputImage } from '../providers/port.js';
import { InputImageError } from './input-image-error.js';
import { type InputDeps, loadInput } from './load-input.js';

/** Dependencies of loading the input images of a task. */
export interface LoadDeps extends InputDeps {
  /** Semaphore with one permit for each byte that images of this process may take while they are loaded, over all tasks. */
  readonly loadingBytes: Pick<Semaphore, 'run'>;
  /** Waits until a loaded image of that many bytes may be kept. */
  readonly hold: (bytes: number) => Promise<void>;
}

/** Task whose input images are loaded. */
export interface LoadTask {
  readonly accountId: string;
  readonly imageUrls: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Loads all input images of a task, side by side as far as there is room, each URL once. When one cannot be used, throws the
 * InputImageError of the first such in the order of the request, whichever failed first in time.
 */
export async function loadInputs(
  deps: LoadDeps,
  { accountId, imageUrls, signal }: LoadTask,
): Promise<InputImage[]> {
  const urls = [...new Set(imageUrls)];
  const stops = urls.map(() => new AbortController());
  const load = async (url: string, place: number): Promise<InputImage> => {
    const stop = stops[place]?.signal;
    const owner = { key: accountId, signal: stop ? AbortSignal.any([signal, stop]) : signal };
    const terms = { accountId, signal: owner.signal };
    const loadAndHold = async (): Promise<InputImage> => {
      const image = await loadInput(deps, { url, index: imageUrls.indexOf(url), ...terms });
      await deps.hold(image.bytes.length);
      return image;
    };
    try {
      return await deps.loadingBytes.run(loadAndHold, { ...owner, count: LIMITS.inputImageBytes });
    } catch (error) {
      // URLs that come later in the request cannot change the reason any more.
      if (error instanceof InputImageError) for (const later of stops.slice(place + 1)) later.abort();
      throw error;
    }
  };
  const results = await Promise.allSettled(urls.map(load));
  signal.throwIfAborted();
  const images = new Map<string, InputImage>();
  for (const [place, result] of results.entries()) {
    if (result.status === 'rejected') throw result.reason;
    images.set(urls[place] ?? '', result.value);
  }
  return imageUrls.flatMap((url) => images.get(url) ?? []);
}
