import { type Database, extendLease } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import type { ObjectStore } from '@image-gateway/shared/storage';
import type { Attempt } from '../attempt/attempt.js';
import { AttemptAborted } from '../attempt/attempt-aborted.js';
import type { ValidateImage } from '../images/create-validator.js';
import type { Image } from '../images/image.js';
import { ImageError } from '../images/image-error.js';
import { OUTPUT_LIMITS } from '../images/limits.js';

/** What placing an object needs. */
export interface PlaceDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'put' | 'replace' | 'read' | 'stat'>;
  readonly validate: ValidateImage;
  readonly leaseMs: number;
}

/** A complete image that stands in the store, and the number that was noted with it. */
export interface StoredImage {
  readonly image: Image;
  readonly savedSlot: number | null;
}

/**
 * Puts an image under a key, where the first writer wins. Gives null when it stands there now, and what stands there
 * instead when a complete image does: whether that is our own from before a lost answer, or another worker's, its bytes
 * decide. What is not complete is replaced, as long as the task is ours.
 */
export async function placeObject(
  deps: PlaceDeps,
  { task }: Pick<Attempt, 'task'>,
  object: { readonly key: string; readonly image: Image; readonly slot: number },
): Promise<StoredImage | null> {
  const { key, image, slot } = object;
  const options = { contentType: image.contentType, metadata: { slot: String(slot) } };
  if ((await deps.store.put(key, image.bytes, options)) === 'stored') return verifyStored(deps, key, image);
  const standing = await findImage(deps, key);
  if (standing) return standing.image.bytes.equals(image.bytes) ? null : standing;
  const own = await extendLease(deps.db, { taskId: task.id, attempt: task.attempt, leaseMs: deps.leaseMs });
  if (!own) throw new AttemptAborted('lost');
  await deps.store.replace(key, image.bytes, options);
  return verifyStored(deps, key, image);
}

/** Looks whether an image stands where the store says it has put it: one that does not would be charged and never seen. Throws what is to be tried again. */
async function verifyStored(
  { store }: Pick<PlaceDeps, 'store'>,
  key: string,
  { bytes }: Pick<Image, 'bytes'>,
): Promise<null> {
  const found = (await store.stat(key))?.bytes ?? 0;
  if (found === bytes.length) return null;
  const message = `${found} of ${bytes.length} bytes of ${key} are there although the store has said that it put them`;
  throw new AppError('INTERNAL_ERROR', { message, retryable: true });
}

/** Reads what stands under a key; null when there is nothing, or no complete image. */
export async function findImage(
  { store, validate }: Pick<PlaceDeps, 'store' | 'validate'>,
  key: string,
): Promise<StoredImage | null> {
  const info = await store.stat(key);
  if (info === null || info.bytes > OUTPUT_LIMITS.maxBytes) return null;
  const bytes = await store.read(key, OUTPUT_LIMITS.maxBytes);
  if (bytes?.length !== info.bytes) return null;
  try {
    const image = await validate(bytes, OUTPUT_LIMITS);
    const complete = info.contentType === image.contentType && key.endsWith(`.${image.extension}`);
    const noted = Number(info.metadata.slot ?? Number.NaN);
    return complete ? { image, savedSlot: Number.isInteger(noted) ? noted : null } : null;
  } catch (error) {
    if (error instanceof ImageError) return null;
    throw error;
  }
}
