import { createHash } from 'node:crypto';
import { AppError } from '@image-gateway/shared/errors';
import { type ObjectStore, StorageError } from '@image-gateway/shared/storage';
import type { SavedObject } from './manifest.js';

const READS_AT_A_TIME = 8;

/** Numbers of what was listed so far. */
export interface Listed {
  count: number;
  bytes: number;
}

/** Yields a line for each object of the bucket, in the order of keys; memory holds one page of them. Adds to `listed`. */
export async function* listObjects(
  store: ObjectStore,
  {
    isRead,
    listed,
    signal,
  }: { readonly isRead: boolean; readonly listed: Listed; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  for await (const page of readPages(store)) {
    for (let from = 0; from < page.length; from += READS_AT_A_TIME) {
      signal.throwIfAborted();
      const some = page.slice(from, from + READS_AT_A_TIME);
      const objects = isRead ? await Promise.all(some.map(({ key }) => readObject(store, key))) : some;
      // One that was removed since its page was listed belongs to nothing any more.
      for (const object of objects.filter((one) => one !== null)) {
        listed.count += 1;
        listed.bytes += object.bytes;
        yield `${JSON.stringify(object)}\n`;
      }
    }
  }
}

/** Reads an object and returns what its bytes are; null for one that is gone. */
export async function readObject(store: ObjectStore, key: string): Promise<SavedObject | null> {
  const hash = createHash('sha256');
  let bytes = 0;
  const found = await explain(store.stream(key));
  if (found === null) {
    return null;
  }
  try {
    for await (const chunk of found.body) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } catch (error) {
    throw toAppError(error);
  }
  return { key, bytes, sha256: hash.digest('hex') };
}

/** Yields the pages of the whole bucket. Throws AppError that names the settings of the store. */
export async function* readPages(store: ObjectStore): ReturnType<ObjectStore['pages']> {
  try {
    yield* store.pages('');
  } catch (error) {
    throw toAppError(error);
  }
}

async function explain<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toAppError(error);
  }
}

function toAppError(error: unknown): unknown {
  return error instanceof StorageError
    ? new AppError('SERVICE_UNAVAILABLE', {
        publicMessage: `The object store cannot be read: ${error.message}. Check S3_ENDPOINT, S3_BUCKET and its keys with: doctor`,
      })
    : error;
}
