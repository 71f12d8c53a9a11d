import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { BucketDependencies } from './bucket-dependencies.js';
import { infoOfResponse } from './info-of-response.js';
import { nullIfMissing } from './null-if-missing.js';
import type { ByteRange, ObjectInfo } from './object-store.js';
import { StorageError } from './storage-error.js';
import { watchBody } from './watch-body.js';

/** The object, or a part of it, as it arrives, or null where there is none. */
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
        const info = infoOfResponse(seen);
        return { body: watchBody(source as IncomingMessage, { what, timeoutMs }), info };
      },
      { download: true },
    ),
  );
}
