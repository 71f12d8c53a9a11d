import type { Readable } from 'node:stream';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import type { ByteRange, ObjectStore } from '@image-gateway/shared/storage';
import { createDownload, type OpenPart } from './create-download.js';

/** Part of an object to read, and for whom: addresses take turns at the store. */
export interface ObjectPart extends ByteRange {
  readonly key: string;
  readonly address: string;
}

/**
 * Reads a part of an object; null when the object does not exist. The reader owns the chunks, and may free them with
 * `freeChunk`. Throws StorageError, and AppError `SERVICE_UNAVAILABLE` when the store has no free connection in time.
 */
export type ReadObject = (request: ObjectPart) => Promise<Readable | null>;

/** Concurrent requests to the store. Few, so that waiting clients get their turn soon. */
const STORE_PERMITS = 16;
/** The same for the parts of slow clients. These take no place of others, and few parts at a time hold up other requests little. */
const SLOW_PERMITS = 8;
const PERMIT_TIMEOUT_MS = 5_000;
/** Connections to the store that wait for slow clients. One address gets half of them at most. */
const MAX_KEPT_CONNECTIONS = 64;
/** Bytes that all downloads of a process hold together. */
const MAX_BUFFERED_BYTES = 48 * 1024 * 1024;
/** More would help no client. Bytes that wait for long are costly garbage outside of the heap: V8 marks the whole heap to free them. */
const MAX_SHARE_BYTES = 256 * 1024;
const MIN_SHARE_BYTES = 64 * 1024;
const ENDED = new Error('the download has ended');

/**
 * Creates the reader of objects for downloads. A fast client gets the bytes of one request to the store as they arrive. A slow one
 * has no place at the store while it reads: see `createDownload`.
 */
export function createObjectReader({ store }: { readonly store: Pick<ObjectStore, 'stream'> }): ReadObject {
  const timeout = {
    ms: PERMIT_TIMEOUT_MS,
    createError: () =>
      new AppError('SERVICE_UNAVAILABLE', {
        message: 'the object store has no free connection',
        retryAfterSeconds: 1,
      }),
  };
  const permits = createSemaphore({ permits: STORE_PERMITS, timeout });
  const slowPermits = createSemaphore({ permits: SLOW_PERMITS, timeout });
  const keptConnections = createSemaphore({ permits: MAX_KEPT_CONNECTIONS, leavesRoom: 1 });
  let downloads = 0;
  const getShare = (): number =>
    Math.min(
      Math.max(Math.floor(MAX_BUFFERED_BYTES / Math.max(1, downloads)), MIN_SHARE_BYTES),
      MAX_SHARE_BYTES,
    );

  return async ({ key, start, end, address }) => {
    const gone = new AbortController();
    const open = async (range: ByteRange, isSlow: boolean): Promise<OpenPart | null> => {
      let release = await (isSlow ? slowPermits : permits).acquire({ key: address, signal: gone.signal });
      try {
        const found = await store.stream(key, range);
        if (!found) {
          release();
          return null;
        }
        const body = found.body.once('close', () => release());
        return {
          body,
          keep: () => {
            const kept = keptConnections.tryAcquire({ key: address });
            if (kept === null) {
              return false;
            }
            release();
            release = kept;
            return true;
          },
        };
      } catch (error) {
        release();
        throw error;
      }
    };
    downloads++;
    try {
      const first = await open({ start, end }, false);
      if (!first) {
        downloads--;
        return null;
      }
      const body = createDownload(first, { key, start, end, open, getShare });
      body.once('close', () => {
        downloads--;
        gone.abort(ENDED);
      });
      return body;
    } catch (error) {
      downloads--;
      throw error;
    }
  };
}
