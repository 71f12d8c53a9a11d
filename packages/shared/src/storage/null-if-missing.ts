import { StorageError } from './storage-error.js';

/** Turns "no such object" into null; a bucket that is not there stays an error wherever the server tells the two apart. */
export async function nullIfMissing<R>(work: () => Promise<R>): Promise<R | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError && error.status === 404 && error.fault !== 'no-bucket') return null;
    throw error;
  }
}
