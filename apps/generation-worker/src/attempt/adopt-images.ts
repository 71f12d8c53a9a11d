import { imageKey, taskPrefix } from '@image-gateway/shared/ids';
import type { ObjectStore } from '@image-gateway/shared/storage';
import type { Attempt } from './attempt.js';
import type { ReadStoredImage, SaveOutput } from './stored-image.js';

/** Dependencies of adopting images. */
export interface AdoptDeps {
  readonly store: Pick<ObjectStore, 'list'>;
  readonly readStoredImage: ReadStoredImage;
  readonly saveOutput: SaveOutput;
}

const EXTENSIONS = ['png', 'jpg', 'webp'] as const;

/**
 * Adopts images that an earlier attempt put into the store without saving their rows, so that no image is bought twice. A
 * clean attempt left none, and the store is not listed then. An incomplete object stays: storing that index replaces it.
 */
export async function adoptImages(
  { store, readStoredImage, saveOutput }: AdoptDeps,
  attempt: Attempt,
): Promise<void> {
  const { task, signal, log } = attempt;
  if (task.tidyAttempt >= task.attempt - 1 || attempt.missingSlots().length === 0) {
    return;
  }
  const listed = new Set(await store.list(taskPrefix(task.id)));
  for (;;) {
    const missing = attempt.missingSlots();
    const index = attempt.storedCount;
    const keys = EXTENSIONS.map((extension) => imageKey(task.id, index, extension));
    const found = await findFirstImage(
      readStoredImage,
      keys.filter((key) => listed.has(key)),
    );
    const [lowest] = missing;
    if (!found || lowest === undefined) {
      return;
    }
    signal.throwIfAborted();
    const slot = missing.find((one) => one === found.savedSlot) ?? lowest;
    await saveOutput(attempt, { key: found.key, image: found.image, slot });
    log.info('adopted an image that an earlier attempt left', { objectKey: found.key });
  }
}

async function findFirstImage(readStoredImage: ReadStoredImage, keys: readonly string[]) {
  for (const key of keys) {
    const stored = await readStoredImage(key);
    if (stored) {
      return { ...stored, key };
    }
  }
  return null;
}
