import type { BucketDependencies } from './bucket.js';
import type { PutOptions } from './object-store.js';
import { statObject } from './read-objects.js';
import { StorageError } from './storage-error.js';

/** Maximum number of keys that the protocol takes at once. */
const BATCH = 1_000;

/** Stores an object unless the key is taken, which status 412, 409 or 304 (older MinIO) reports. */
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
  body: Buffer,
  options: PutOptions,
): Promise<void> {
  await sendObject(deps, `replace ${key}`, key, body, options, {});
}

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

async function sendObject(
  { call, bucket }: BucketDependencies,
  what: string,
  key: string,
  body: Buffer,
  { contentType, metadata = {} }: PutOptions,
  headers: Record<string, string>,
): Promise<void> {
  const own = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name.toLowerCase()}`, value]);
  await call(what, (client) =>
    client.putObject(bucket, key, body, body.length, {
      ...Object.fromEntries(own),
      ...headers,
      'Content-Type': contentType,
    }),
  );
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
