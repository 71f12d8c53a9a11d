import { imageKey } from '@image-gateway/shared/ids';
import type { Metrics } from '@image-gateway/shared/metrics';
import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import type { Image } from '../images/image.js';
import type { StoreGate } from '../responses/create-store-gate.js';
import { type PlaceDeps, placeObject } from './place-object.js';
import { writeOutput } from './write-output.js';

/** What storing needs. */
export interface StoreDeps extends PlaceDeps {
  readonly metrics: Pick<Metrics, 'imagesStored'>;
  readonly storeGate: Pick<StoreGate, 'watch'>;
}

/**
 * Stores an image as the next image of the task: first the object, then its row. Two images of one task must not be
 * stored at a time. What another worker left under the key fills another missing image, and the new image goes behind it.
 * Our own storage or database being away for a moment is waited for: the image was paid for.
 */
export async function storeImage(
  deps: StoreDeps,
  attempt: Attempt,
  image: Image,
  slot: number,
): Promise<void> {
  const { signal, log, task } = attempt;
  while (missingSlots(attempt).includes(slot)) {
    const key = imageKey(task.id, attempt.outputs.length, image.extension);
    attempt.openKeys.add(key);
    const place = () => deps.storeGate.watch(() => placeObject(deps, attempt, { key, image, slot }));
    const other = await persist(place, { signal, log });
    signal.throwIfAborted();
    const placed = other
      ? { key, image: other.image, slot: chooseSlot(attempt, slot, other.savedSlot) }
      : { key, image, slot };
    if (other) log.info('adopted an image that another attempt left', { objectKey: key });
    await persist(() => writeOutput(deps, attempt, placed), { signal, log });
    attempt.openKeys.delete(key);
    deps.metrics.imagesStored.inc();
  }
}

function chooseSlot(attempt: Attempt, ours: number, noted: number | null): number {
  const others = missingSlots(attempt).filter((slot) => slot !== ours);
  return others.find((slot) => slot === noted) ?? others[0] ?? ours;
}
