import { randomBytes } from 'node:crypto';
import type { BucketDependencies } from './bucket-dependencies.js';
import type { Finding } from './finding.js';
import { mendStorageError } from './mend-storage-error.js';
import { pingBucket } from './ping-bucket.js';
import { putObject } from './put-object.js';
import { readObject } from './read-object.js';
import { removeObjects } from './remove-objects.js';
import { replaceObject } from './replace-object.js';
import { statObject } from './stat-object.js';
import { StorageError } from './storage-error.js';
import { toStorageError } from './to-storage-error.js';

const CONTENT_TYPE = 'image/png';

/** Tries what the gateway relies on and says what it saw; later checks are left out once one cannot go on. */
export async function probeBucket(
  deps: BucketDependencies,
  { publicRead = false }: { publicRead?: boolean } = {},
): Promise<Finding[]> {
  const key = `doctor/${randomBytes(12).toString('hex')}.png`;
  const body = randomBytes(64);
  const findings: Finding[] = [];
  const check = async (what: string, look: () => Promise<string | null>, mend = ''): Promise<boolean> => {
    const fault = await look().catch((error: unknown) =>
      toStorageError(error, { what, status: undefined, sent: false }),
    );
    if (fault === null) findings.push({ ok: true, what, mend: '' });
    else if (fault instanceof StorageError) {
      findings.push({ ok: false, what: fault.message, mend: mendStorageError(fault, deps.bucket) });
    } else findings.push({ ok: false, what: fault, mend });
    return fault === null;
  };

  const reached = await check(`the bucket ${deps.bucket} answers`, async () => {
    await pingBucket(deps);
    return null;
  });
  if (!reached) return findings;
  const options = { contentType: CONTENT_TYPE, metadata: { probe: 'first' } };
  const stored = await check('an object can be stored', async () =>
    (await putObject(deps, key, body, options)) === 'stored' ? null : 'a fresh key is said to be taken',
  );
  if (!stored) return findings;

  await check(
    'a stored object cannot be overwritten by a late writer (If-None-Match: *)',
    async () =>
      (await putObject(deps, key, randomBytes(64), options)) === 'exists'
        ? null
        : 'the object store ignores If-None-Match: * on a put, so a late writer can replace a delivered picture',
    'use a server that supports conditional writes (docs/object-stores.md names some) or a newer version of it',
  );
  await check(
    'an object comes back as it was stored',
    async () => {
      await replaceObject(deps, key, body, options);
      const [info, read] = [await statObject(deps, key), await readObject(deps, key, 1_024)];
      const same =
        info?.contentType === CONTENT_TYPE && info.metadata.probe === 'first' && read?.equals(body);
      return same
        ? null
        : 'the object store does not keep the bytes, the content type or the metadata of an object';
    },
    'use another object store',
  );
  const closed = 'make the bucket private: remove the policy or rule that grants anonymous access';
  if (!publicRead) {
    await check('an unsigned read is refused', () => unsignedRead(deps, key), closed);
  }
  await check('an unsigned listing is refused', () => unsignedList(deps), closed);
  await check('an object can be removed', async () => {
    await removeObjects(deps, [key]);
    return (await statObject(deps, key)) === null ? null : 'a removed object is still there';
  });
  return findings;
}

async function unsignedRead({ call, bucket }: BucketDependencies, key: string): Promise<string | null> {
  return refused('anybody can read the objects of the bucket', () =>
    call('unsigned read', async (client) => (await client.getObject(bucket, key)).destroy(), {
      unsigned: true,
    }),
  );
}

async function unsignedList({ call, bucket }: BucketDependencies): Promise<string | null> {
  return refused('anybody can list the bucket', () =>
    call('unsigned listing', (client) => client.listObjectsV2Query(bucket, 'doctor/', '', '', 1, ''), {
      unsigned: true,
    }),
  );
}

/** Null when the server refused; any other error is passed on. */
async function refused(otherwise: string, request: () => Promise<unknown>): Promise<string | null> {
  try {
    await request();
    return otherwise;
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'refused') return null;
    throw error;
  }
}
