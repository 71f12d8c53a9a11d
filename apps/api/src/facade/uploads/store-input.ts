import { addTaskInput, type Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newInputEntry } from '@image-gateway/shared/ids';
import type { ObjectBody, ObjectStore } from '@image-gateway/shared/storage';

/** Dependencies of storing uploads. */
export interface StoreInputDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'put'>;
}

/** Input image of an edit. */
export interface StoredInput {
  /** Id of the upload; null for a URL. */
  readonly id: string | null;
  /** Entry of `image_urls`. */
  readonly entry: string;
  /** SHA-256 of the bytes in hexadecimal, or the URL. */
  readonly digest: string;
}

/** Stores an upload: its row first, so that the sweep knows every object. Throws AppError. */
export async function storeInput(
  { db, store }: StoreInputDeps,
  {
    accountId,
    body,
    sha256,
  }: { readonly accountId: string; readonly body: ObjectBody; readonly sha256: string },
): Promise<StoredInput> {
  const { id, entry, key } = newInputEntry();
  if (!(await addTaskInput(db, { id, accountId }))) {
    throw new AppError('RATE_LIMITED', {
      publicMessage: 'Too many uploads of this account belong to no task. They are removed after an hour.',
      retryAfterSeconds: 60,
    });
  }
  await store.put(key, body, { contentType: 'application/octet-stream', sha256 });
  return { id, entry, digest: sha256 };
}
