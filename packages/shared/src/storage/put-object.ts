import type { BucketDependencies } from './bucket-dependencies.js';
import type { PutOptions } from './object-store.js';
import { sendObject } from './send-object.js';
import { statObject } from './stat-object.js';
import { StorageError } from './storage-error.js';

/** Stores an object unless the key is taken; 412, 409 and 304 (older MinIO) say that it is. */
export async function putObject(
  deps: BucketDependencies,
  key: string,
  body: Buffer,
  options: PutOptions,
): Promise<'stored' | 'exists'> {
  try {
    // The client sends `if-none-match` as a header of its own, not as metadata (minio 8.0.7, isSupportedHeader).
    await sendObject(deps, `put ${key}`, key, body, options, { 'If-None-Match': '*' });
    return 'stored';
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (error.status === 412 || error.status === 304) return 'exists';
    // 409 is a put of the same key under way somewhere else, which may yet fail.
    if (error.status === 409 && (await statObject(deps, key)) !== null) return 'exists';
    throw error;
  }
}
