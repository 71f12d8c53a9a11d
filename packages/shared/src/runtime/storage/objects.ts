import type { BucketDependencies, Seen } from './create-caller.js';
import { StorageError } from './storage-error.js';

/** Properties of one stored object. */
export interface ObjectInfo {
  /** Size of the whole object, also for a request of a range. */
  readonly bytes: number;
  readonly contentType: string;
  /** Without quotes. */
  readonly etag: string;
  /** The user's own metadata, names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly lastModified: Date;
}

/** Object as a listing names it. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

/** Maximum number of keys that the protocol takes at once. */
const BATCH = 1_000;
/** Removes objects; a key without an object is no error. */
export async function removeObjects(
  { call, bucket }: BucketDependencies,
  keys: readonly string[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += BATCH) {
    const batch = keys.slice(from, from + BATCH);
    const what = batch.length === 1 ? `remove ${batch[0]}` : `remove ${batch.length} objects`;
    const answers = await call(what, (client) => client.removeObjects(bucket, batch));
    const code = answers.map(getCode).find((each) => each !== undefined && each !== 'NoSuchKey');
    if (code !== undefined) {
      throw new StorageError({ fault: 'answer', message: `${what}: ${code}`, serverCode: code });
    }
  }
}

// The types of minio 8.0.7 wrap each entry in `Error`, its code does not.
function getCode(answer: unknown): string | undefined {
  const entry = isRecord(answer) && isRecord(answer.Error) ? answer.Error : answer;
  if (!isRecord(entry)) {
    return undefined;
  }
  return typeof entry.Code === 'string' ? entry.Code : 'unnamed error';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const PAGE = 1_000;
const METADATA_PREFIX = 'x-amz-meta-';
/** Codes of a 404 for a missing object; the response to a HEAD has no body, so the client sets the code itself. */
const MISSING = new Set(['NoSuchKey', 'NotFound', undefined]);

/** Returns the properties of an object, or null if there is none. */
export async function statObject(
  { call, bucket }: BucketDependencies,
  key: string,
): Promise<ObjectInfo | null> {
  return nullIfMissing(() =>
    call(`stat ${key}`, async (client, seen) => {
      await client.statObject(bucket, key);
      return parseObjectInfo(seen);
    }),
  );
}

/** Returns the whole object, or null if there is none; its last byte must arrive within the time limit too. */
export async function readObject(
  { call, bucket }: BucketDependencies,
  key: string,
  maxBytes: number,
): Promise<Buffer | null> {
  return nullIfMissing(() =>
    call(`read ${key}`, async (client, seen) => {
      const body = await client.getObject(bucket, key);
      const { bytes } = parseObjectInfo(seen);
      if (bytes > maxBytes) {
        throw new StorageError({
          fault: 'too-large',
          message: `read ${key}: ${bytes} bytes, ${maxBytes} allowed`,
        });
      }
      const chunks: Buffer[] = [];
      for await (const chunk of body) {
        chunks.push(chunk as Buffer);
      }
      return Buffer.concat(chunks);
    }),
  );
}

/** Yields the objects under a prefix page by page; each page has the whole time limit. */
export async function* listPages(
  { call, bucket }: BucketDependencies,
  prefix: string,
): AsyncGenerator<readonly ListedObject[]> {
  let last = '';
  for (;;) {
    // Paging by the last key instead of by token: every server agrees on what it means.
    const page = await call(`list ${prefix}`, (client) =>
      client.listObjectsV2Query(bucket, prefix, '', '', PAGE, last),
    );
    const objects = page.objects.flatMap(({ name, size }) =>
      name === undefined ? [] : [{ key: name, bytes: size }],
    );
    yield objects;
    last = objects.at(-1)?.key ?? '';
    if (!page.isTruncated || last === '') {
      return;
    }
  }
}

/** Returns null for a missing object; a 404 with another code (no such bucket, no such user) stays an error. */
export async function nullIfMissing<R>(work: () => Promise<R>): Promise<R | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError && error.status === 404 && MISSING.has(error.serverCode)) {
      return null;
    }
    throw error;
  }
}

/** Parses the properties of an object from the headers of a HEAD or GET response; throws StorageError without a size. */
export function parseObjectInfo({ response }: Seen): ObjectInfo {
  const headers = response?.headers ?? {};
  // A part of an object: `bytes 0-9/1234`.
  const total = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'];
  if (total === undefined || !/^\d+$/.test(total)) {
    throw new StorageError({
      fault: 'answer',
      message: 'the answer names no size',
      status: response?.statusCode,
    });
  }
  const metadata = Object.entries(headers)
    .filter(([name]) => name.startsWith(METADATA_PREFIX))
    .map(([name, value]) => [name.slice(METADATA_PREFIX.length), String(value)] as const);
  return {
    bytes: Number(total),
    contentType: headers['content-type'] ?? 'application/octet-stream',
    etag: (headers.etag ?? '').replace(/^W\//, '').replaceAll('"', ''),
    metadata: Object.fromEntries(metadata),
    lastModified: new Date(headers['last-modified'] ?? 0),
  };
}
