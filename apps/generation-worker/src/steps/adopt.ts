import { imageKey, taskPrefix } from '@image-gateway/shared/ids';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { findImage, type PlaceDeps } from './place-object.js';
import { writeOutput } from './write-output.js';

/** What adopting needs. */
export interface AdoptDeps extends PlaceDeps {
  readonly store: PlaceDeps['store'] & Pick<ObjectStore, 'list'>;
}

const EXTENSIONS = ['png', 'jpg', 'webp'] as const;

/**
 * Takes over what an earlier attempt put into the store and did not get to write down, so that no image is bought twice.
 * An attempt that ended by itself, to wait for its job for example, left nothing: then the store is not asked.
 * What is not complete stays where it is: whoever stores that index replaces it.
 */
export async function adoptImages(deps: AdoptDeps, attempt: Attempt): Promise<void> {
  const { task, signal, log } = attempt;
  if (task.cleanAttempt >= task.attempt - 1 || missingSlots(attempt).length === 0) return;
  const standing = new Set(await deps.store.list(taskPrefix(task.id)));
  for (;;) {
    const missing = missingSlots(attempt);
    const index = attempt.outputs.length;
    const keys = EXTENSIONS.map((extension) => imageKey(task.id, index, extension));
    const found = await findFirstImage(
      deps,
      keys.filter((key) => standing.has(key)),
    );
    const [lowest] = missing;
    if (!found || lowest === undefined) return;
    signal.throwIfAborted();
    const slot = missing.find((one) => one === found.savedSlot) ?? lowest;
    await writeOutput(deps, attempt, { key: found.key, image: found.image, slot });
    log.info('adopted an image that an earlier attempt left', { objectKey: found.key });
  }
}

async function findFirstImage(deps: AdoptDeps, keys: readonly string[]) {
  for (const key of keys) {
    const standing = await findImage(deps, key);
    if (standing) return { ...standing, key };
  }
  return null;
}
