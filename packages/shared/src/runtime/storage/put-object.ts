import { createHash, hash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { BucketDependencies } from './create-caller.js';
import { statObject } from './objects.js';
import { StorageError } from './storage-error.js';

/** Content type and metadata of an object. Names and values of metadata are ASCII. */
export interface PutOptions {
  readonly contentType: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Hexadecimal SHA-256 of the body, which signs it; computed unless given. */
  readonly sha256?: string;
}

/** Body of an object that is not in memory: it is read while it is sent, and again when it must be sent again. */
export interface StreamedBody {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly open: () => Readable;
}

/** Body of an object. */
export type ObjectBody = Buffer | StreamedBody;

/** Answers of stores whose buckets lock objects to a put without a checksum of this kind. */
const ASKS_FOR_MD5 = new Set(['InvalidRequest', 'MissingContentMD5']);

/** Stores an object unless the key is taken, which status 412, 409 or 304 (older MinIO) reports. */
export async function putObject(
  deps: BucketDependencies,
  key: string,
  body: ObjectBody,
  options: PutOptions,
): Promise<'stored' | 'exists'> {
  try {
    await sendObject(deps, `put ${key}`, key, body, options, { 'If-None-Match': '*' });
    return 'stored';
  } catch (error) {
    if (!(error instanceof StorageError)) {
      throw error;
    }
    if (error.status === 412 || error.status === 304) {
      return 'exists';
    }
    // 409: another put of the same key is in progress and may still fail.
    if (error.status === 409 && (await statObject(deps, key)) !== null) {
      return 'exists';
    }
    throw error;
  }
}

/** Stores an object and overwrites an existing one. */
export async function replaceObject(
  deps: BucketDependencies,
  key: string,
  body: ObjectBody,
  options: PutOptions,
): Promise<void> {
  await sendObject(deps, `replace ${key}`, key, body, options, {});
}

async function sendObject(
  { call, bucket }: BucketDependencies,
  what: string,
  key: string,
  body: ObjectBody,
  { contentType, metadata = {}, sha256 = getSha256(body) }: PutOptions,
  conditions: Record<string, string>,
): Promise<void> {
  const own = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name.toLowerCase()}`, value]);
  const headers = {
    ...Object.fromEntries(own),
    ...conditions,
    'Content-Type': contentType,
    'x-amz-content-sha256': sha256,
    'Content-Length': String(Buffer.isBuffer(body) ? body.length : body.bytes),
  };
  const send = (more: Record<string, string>): Promise<void> =>
    call(what, async (client, seen) => {
      // `putObject` of the client copies the bytes and hashes them twice: by SHA-256 once more, and by MD5.
      const request = {
        method: 'PUT',
        bucketName: bucket,
        objectName: key,
        headers: { ...headers, ...more },
      };
      const sent = Buffer.isBuffer(body) ? body : openBody(body);
      try {
        const response = await client.makeRequestStreamAsync(request, sent, '', [200], '');
        await finished(response.resume());
        // A server may answer before it has read everything. The caller may free the bytes when this ends.
        if (seen.request?.writableFinished === false) {
          await once(seen.request, 'finish');
        }
      } finally {
        if (!Buffer.isBuffer(sent)) {
          sent.destroy();
        }
      }
    });
  try {
    await send({});
  } catch (error) {
    if (!(error instanceof StorageError && ASKS_FOR_MD5.has(error.serverCode ?? ''))) {
      throw error;
    }
    const md5 = createHash('md5');
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body.open()) {
      md5.update(chunk as Buffer);
    }
    await send({ 'Content-MD5': md5.digest('base64') });
  }
}

function getSha256(body: ObjectBody): string {
  return Buffer.isBuffer(body) ? hash('sha256', body) : body.sha256;
}

/** Opens a body. Its errors end the request; one that comes later has nobody who could hear it. */
function openBody({ open }: StreamedBody): Readable {
  return open().on('error', () => undefined);
}
