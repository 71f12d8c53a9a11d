import { Readable } from 'node:stream';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { AppError } from '@image-gateway/shared/errors';
import type { ByteRange, ObjectStore } from '@image-gateway/shared/storage';

/** Part of an object to read, and for whom: addresses take turns at the store. */
export interface ObjectPart extends ByteRange {
  readonly key: string;
  readonly address: string;
}

/** Reads a part of an object; null when the object does not exist. Throws StorageError, and AppError `SERVICE_UNAVAILABLE` when the store has no free connection in time. */
export type ReadObject = (request: ObjectPart) => Promise<Readable | null>;

/** Concurrent requests to the store, each for one chunk. Few, so that waiting clients get their turn soon. */
const STORE_PERMITS = 16;
const PERMIT_TIMEOUT_MS = 5_000;
/** Bytes that all downloads of a process hold together. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
/** Size of one write, and of the smallest chunk: the progress of a slow client is measured at each. */
const MIN_CHUNK_BYTES = 64 * 1024;

/**
 * Creates the reader of objects for downloads. An object is fetched in chunks, the next one when the client has read
 * the last. A slow client therefore holds one chunk of memory, and never a connection to the store.
 */
export function createObjectReader({ store }: { readonly store: Pick<ObjectStore, 'stream'> }): ReadObject {
  const permits = createSemaphore({
    permits: STORE_PERMITS,
    timeout: {
      ms: PERMIT_TIMEOUT_MS,
      createError: () =>
        new AppError('SERVICE_UNAVAILABLE', {
          message: 'the object store has no free connection',
          retryAfterSeconds: 1,
        }),
    },
  });
  let downloads = 0;

  const readPiece = (
    key: string,
    range: ByteRange,
    address: string,
    signal: AbortSignal,
  ): Promise<Buffer | null> =>
    permits.run(
      async () => {
        const found = await store.stream(key, range);
        if (!found) {
          return null;
        }
        const bytes = Buffer.concat((await found.body.toArray()) as Buffer[]);
        if (bytes.length !== range.end - range.start + 1) {
          throw new Error(`a chunk of ${key} has a wrong length`);
        }
        return bytes;
      },
      { key: address, signal },
    );

  return async ({ key, start, end, address }) => {
    const gone = new AbortController();
    const next = (from: number): Promise<Buffer | null> => {
      const share = Math.floor(MAX_BUFFERED_BYTES / Math.max(1, downloads));
      const size = Math.min(Math.max(share, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
      return readPiece(key, { start: from, end: Math.min(from + size - 1, end) }, address, gone.signal);
    };
    downloads++;
    try {
      const first = await next(start);
      if (!first) {
        downloads--;
        return null;
      }
      const body = Readable.from(readChunks(first, start, end, next), {
        objectMode: false,
        highWaterMark: MIN_CHUNK_BYTES,
      });
      body.once('close', () => {
        downloads--;
        gone.abort();
      });
      return body;
    } catch (error) {
      downloads--;
      throw error;
    }
  };
}

async function* readChunks(
  first: Buffer,
  start: number,
  end: number,
  next: (from: number) => Promise<Buffer | null>,
): AsyncGenerator<Buffer> {
  let piece: Buffer | null = first;
  for (let at = start; piece; piece = at <= end ? await next(at) : null) {
    for (let from = 0; from < piece.length; from += MIN_CHUNK_BYTES) {
      yield piece.subarray(from, from + MIN_CHUNK_BYTES);
    }
    at += piece.length;
  }
}
