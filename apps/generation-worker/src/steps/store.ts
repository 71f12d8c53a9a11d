import type { Metrics } from '@image-gateway/shared/metrics';
import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import type { Picture } from '../images/create-inspector.js';
import { keyOfImage } from './key-of-image.js';
import { type PlaceDeps, placeObject } from './place-object.js';
import { writeOutput } from './write-output.js';

/** What storing needs. */
export interface StoreDeps extends PlaceDeps {
  readonly metrics: Pick<Metrics, 'imagesStored'>;
}

/**
 * Stores a picture as the next image of the task: first the object, then its row. Two pictures of one task must not be
 * stored at a time. What another worker left under the key fills another missing image, and the picture goes behind it.
 * Our own storage or database being away for a moment is waited for: the picture was paid for.
 */
export async function storePicture(
  deps: StoreDeps,
  attempt: Attempt,
  picture: Picture,
  slot: number,
): Promise<void> {
  const { signal, log, task } = attempt;
  while (missingSlots(attempt).includes(slot)) {
    const key = keyOfImage(task.id, attempt.outputs.length, picture.extension);
    const other = await persist(() => placeObject(deps, attempt, { key, picture, slot }), { signal, log });
    signal.throwIfAborted();
    const image = other
      ? { key, picture: other.picture, slot: slotOfOther(attempt, slot, other.notedSlot) }
      : { key, picture, slot };
    if (other) log.info('adopted an image that another attempt left', { objectKey: key });
    await persist(() => writeOutput(deps, attempt, image), { signal, log });
    deps.metrics.imagesStored.inc();
  }
}

function slotOfOther(attempt: Attempt, ours: number, noted: number | null): number {
  const others = missingSlots(attempt).filter((slot) => slot !== ours);
  return others.find((slot) => slot === noted) ?? others[0] ?? ours;
}
