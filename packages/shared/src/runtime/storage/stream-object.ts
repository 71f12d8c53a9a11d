import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BucketDependencies } from './create-caller.js';
import { nullIfMissing, type ObjectInfo, parseObjectInfo } from './objects.js';
import { StorageError, toStorageError } from './storage-error.js';

/** A part of an object, both ends included, counted from 0; it must lie within the object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the body of an object, or of a range of it, as it arrives; null if there is none. */
export async function streamObject(
  { call, bucket, timeoutMs }: BucketDependencies,
  key: string,
  range?: ByteRange,
): Promise<{ body: Readable; info: ObjectInfo } | null> {
  const what = `stream ${key}`;
  return nullIfMissing(() =>
    call(
      what,
      async (client, seen) => {
        const source = await (range === undefined
          ? client.getObject(bucket, key)
          : client.getPartialObject(bucket, key, range.start, range.end - range.start + 1));
        if (range !== undefined && seen.response?.statusCode !== 206) {
          throw new StorageError({ fault: 'answer', message: `${what}: the server ignores ranges` });
        }
        const info = parseObjectInfo(seen);
        return { body: watchBody(source as IncomingMessage, { what, timeoutMs }), info };
      },
      { download: true },
    ),
  );
}

// Passes a body on and ends it with a StorageError if the server cuts it or sends nothing for `timeoutMs`. The time
// counts only while the reader waits for bytes. Destroying the result ends the connection.
function watchBody(
  source: IncomingMessage,
  { what, timeoutMs }: { what: string; timeoutMs: number },
): Readable {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const expectBytes = () => {
    stop();
    timer = setTimeout(() => {
      body.destroy(new StorageError({ fault: 'timeout', message: `${what}: no bytes for ${timeoutMs} ms` }));
    }, timeoutMs);
  };

  const body = new Readable({
    read() {
      expectBytes();
      source.resume();
    },
    destroy(error, done) {
      stop();
      source.destroy();
      done(error);
    },
  });
  // A reader gets the error however late it comes; an error without a reader must not end the process.
  body.on('error', stop);
  source.pause();
  source.on('data', (chunk: Buffer) => {
    stop();
    if (body.push(chunk)) {
      expectBytes();
    } else {
      source.pause();
    }
  });
  source.on('end', () => {
    stop();
    body.push(null);
  });
  source.on('error', (error) =>
    body.destroy(toStorageError(error, { what, status: source.statusCode, sent: true })),
  );
  return body;
}
