import type { ObjectStore } from '@image-gateway/shared/storage';
import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { keyOfImage, prefixOfTask } from './key-of-image.js';
import { findPicture, type PlaceDeps } from './place-object.js';
import { writeOutput } from './write-output.js';

/** What adopting needs. */
export interface AdoptDeps extends PlaceDeps {
  readonly store: PlaceDeps['store'] & Pick<ObjectStore, 'list'>;
}

const EXTENSIONS = ['png', 'jpg', 'webp'] as const;

/**
 * Takes over what an earlier attempt put into the store and did not get to write down, so that no image is bought twice.
 * What is not complete stays where it is: whoever stores that index replaces it.
 */
export async function adoptImages(deps: AdoptDeps, attempt: Attempt): Promise<void> {
  const { task, signal, log } = attempt;
  if (task.attempt === 1 || missingSlots(attempt).length === 0) return;
  const standing = new Set(await deps.store.list(prefixOfTask(task.id)));
  for (;;) {
    const missing = missingSlots(attempt);
    const index = attempt.outputs.length;
    const keys = EXTENSIONS.map((extension) => keyOfImage(task.id, index, extension));
    const found = await firstPicture(
      deps,
      keys.filter((key) => standing.has(key)),
    );
    const [lowest] = missing;
    if (!found || lowest === undefined) return;
    signal.throwIfAborted();
    const slot = missing.find((one) => one === found.notedSlot) ?? lowest;
    await writeOutput(deps, attempt, { key: found.key, picture: found.picture, slot });
    log.info('adopted an image that an earlier attempt left', { objectKey: found.key });
  }
}

async function firstPicture(deps: AdoptDeps, keys: readonly string[]) {
  for (const key of keys) {
    const standing = await findPicture(deps, key);
    if (standing) return { ...standing, key };
  }
  return null;
}
