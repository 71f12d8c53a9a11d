import type { Database } from '@image-gateway/shared/db';
import { imageKey, taskPrefix } from '@image-gateway/shared/ids';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { type Attempt, missingSlots } from './attempt.js';
import { type ReadStoredDeps, readStoredImage, saveOutput } from './stored-image.js';

/** Dependencies of adopting images. */
export interface AdoptDeps extends ReadStoredDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: ReadStoredDeps['store'] & Pick<ObjectStore, 'list'>;
}

const EXTENSIONS = ['png', 'jpg', 'webp'] as const;

/**
 * Adopts images that an earlier attempt put into the store without saving their rows, so that no image is bought twice. A
 * clean attempt left none, and the store is not listed then. An incomplete object stays: storing that index replaces it.
 */
export async function adoptImages(deps: AdoptDeps, attempt: Attempt): Promise<void> {
  const { task, signal, log } = attempt;
  if (task.cleanAttempt >= task.attempt - 1 || missingSlots(attempt).length === 0) {
    return;
  }
  const listed = new Set(await deps.store.list(taskPrefix(task.id)));
  for (;;) {
    const missing = missingSlots(attempt);
    const index = attempt.outputs.length;
    const keys = EXTENSIONS.map((extension) => imageKey(task.id, index, extension));
    const found = await findFirstImage(
      deps,
      keys.filter((key) => listed.has(key)),
    );
    const [lowest] = missing;
    if (!found || lowest === undefined) {
      return;
    }
    signal.throwIfAborted();
    const slot = missing.find((one) => one === found.savedSlot) ?? lowest;
    await saveOutput(deps, attempt, { key: found.key, image: found.image, slot });
    log.info('adopted an image that an earlier attempt left', { objectKey: found.key });
  }
}

async function findFirstImage(deps: AdoptDeps, keys: readonly string[]) {
  for (const key of keys) {
    const stored = await readStoredImage(deps, key);
    if (stored) {
      return { ...stored, key };
    }
  }
  return null;
}
