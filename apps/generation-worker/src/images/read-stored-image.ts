import type { ObjectStore } from '@image-gateway/shared/storage';
import type { ValidateImage } from './create-validator.js';
import { type Image, ImageError } from './image.js';
import { OUTPUT_LIMITS } from './limits.js';

/** Dependencies of reading a stored image. */
export interface ReadStoredDeps {
  readonly store: Pick<ObjectStore, 'read' | 'stat'>;
  readonly validate: ValidateImage;
}

/** Complete image in the object store, and the slot in its metadata. */
export interface StoredImage {
  readonly image: Image;
  readonly savedSlot: number | null;
}

/** Reads the image under a key; null when there is no object, or no complete image. */
export async function readStoredImage(
  { store, validate }: ReadStoredDeps,
  key: string,
): Promise<StoredImage | null> {
  const info = await store.stat(key);
  if (info === null || info.bytes > OUTPUT_LIMITS.maxBytes) {
    return null;
  }
  const bytes = await store.read(key, OUTPUT_LIMITS.maxBytes);
  if (bytes?.length !== info.bytes) {
    return null;
  }
  try {
    const image = await validate(bytes, OUTPUT_LIMITS);
    const isComplete = info.contentType === image.contentType && key.endsWith(`.${image.extension}`);
    const slot = Number(info.metadata.slot ?? Number.NaN);
    return isComplete ? { image, savedSlot: Number.isInteger(slot) ? slot : null } : null;
  } catch (error) {
    if (error instanceof ImageError) {
      return null;
    }
    throw error;
  }
}
