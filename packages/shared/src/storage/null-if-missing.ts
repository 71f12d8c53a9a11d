import { StorageError } from './storage-error.js';

/** What a 404 without such an object is called; the answer to a HEAD has no body, so the client names it itself. */
const MISSING = new Set(['NoSuchKey', 'NotFound', undefined]);

/** Turns "no such object" into null; any other 404 (no such bucket, no such user) stays an error where the server says so. */
export async function nullIfMissing<R>(work: () => Promise<R>): Promise<R | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError && error.status === 404 && MISSING.has(error.serverCode)) return null;
    throw error;
  }
}
