import pLimit from 'p-limit';
import type { Attempt } from '../attempt/attempt.js';
import type { InputImage } from '../providers/port.js';
import { InputImageError } from './input-image-error.js';
import { type InputDeps, loadInput } from './load-input.js';

const AT_A_TIME = 4;

/**
 * Loads all input images of a task, a few at a time. When one cannot be used, throws the InputImageError of the first
 * such in the order of the request, whichever failed first in time.
 */
export async function loadInputs(
  deps: InputDeps,
  { task, signal }: Pick<Attempt, 'task' | 'signal'>,
): Promise<InputImage[]> {
  const limit = pLimit(AT_A_TIME);
  const stops = task.imageUrls.map(() => new AbortController());
  const load = async (url: string, index: number): Promise<InputImage> => {
    const stop = stops[index]?.signal;
    try {
      return await loadInput(deps, { url, index, signal: stop ? AbortSignal.any([signal, stop]) : signal });
    } catch (error) {
      // What comes later in the request cannot change the reason any more.
      if (error instanceof InputImageError) for (const later of stops.slice(index + 1)) later.abort();
      throw error;
    }
  };
  const results = await Promise.allSettled(task.imageUrls.map((url, index) => limit(() => load(url, index))));
  signal.throwIfAborted();
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
