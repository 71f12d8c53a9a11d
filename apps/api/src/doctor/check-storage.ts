import { randomBytes } from 'node:crypto';
import { createObjectStore, type ObjectStoreSettings, StorageError } from '@image-gateway/shared/storage';
import { type CheckResult, fault, fine } from './check-result.js';

const PART = 'object store';
const TIMEOUT_MS = 5_000;
const CONTENT_TYPE = 'image/png';
const TRIAL_BYTES = 1024 ** 2;

/**
 * Checks every operation of the object store that the gateway needs, with objects of 1 MiB and less under `doctor/`. A check is
 * skipped when it depends on a failed one. An unsigned read is allowed with `publicRead`, when clients read images from the
 * bucket itself. The default of `timeoutMs` is 5 s.
 */
export async function checkStorage(
  settings: ObjectStoreSettings,
  { publicRead }: { readonly publicRead: boolean },
): Promise<CheckResult[]> {
  const { bucket } = settings;
  const store = createObjectStore({ timeoutMs: TIMEOUT_MS, ...settings });
  const unsigned = { credentials: 'keys', accessKey: '', secretKey: '' } as const;
  const anonymous = createObjectStore({ timeoutMs: TIMEOUT_MS, ...settings, ...unsigned });
  const key = `doctor/${randomBytes(12).toString('hex')}.png`;
  // A store whose disk is full may still have room for a few bytes.
  const body = randomBytes(TRIAL_BYTES);
  const results: CheckResult[] = [];
  const check = async (
    what: string,
    run: () => Promise<string | null>,
    remediation = '',
  ): Promise<boolean> => {
    try {
      const observed = await run();
      results.push(observed === null ? fine(PART, what) : fault(PART, observed, remediation));
      return observed === null;
    } catch (error) {
      if (!(error instanceof StorageError)) {
        throw error;
      }
      results.push(fault(PART, error.message, getStorageRemediation(error, bucket)));
      return false;
    }
  };

  const run = async (): Promise<void> => {
    const reached = await check(`the bucket ${bucket} answers`, async () => {
      await store.ping();
      return null;
    });
    if (!reached) {
      return;
    }
    const options = { contentType: CONTENT_TYPE, metadata: { probe: 'first' } };
    const stored = await check('an object can be stored', async () =>
      (await store.put(key, body, options)) === 'stored' ? null : 'a fresh key is said to be taken',
    );
    if (!stored) {
      return;
    }
    await check(
      'a stored object cannot be overwritten by a late writer (If-None-Match: *)',
      async () =>
        (await store.put(key, randomBytes(64), options)) === 'exists'
          ? null
          : 'the object store ignores If-None-Match: * on a put, so a late writer can replace a delivered image',
      'use a server that supports conditional writes (docs/object-stores.md names some) or a newer version of it',
    );
    await check(
      'an object comes back as it was stored',
      async () => {
        await store.replace(key, body, options);
        const [info, read] = [await store.stat(key), await store.read(key, TRIAL_BYTES)];
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
      await check(
        'an unsigned read is refused',
        () => expectRefusal(anonymous.stream(key), 'anybody can read the objects of the bucket'),
        closed,
      );
    }
    await check(
      'an unsigned listing is refused',
      () => expectRefusal(anonymous.list('doctor/'), 'anybody can list the bucket'),
      closed,
    );
    await check('an object can be removed', async () => {
      await store.remove([key]);
      return (await store.stat(key)) === null ? null : 'a removed object is still there';
    });
  };

  try {
    await run();
    return results;
  } finally {
    store.close();
    anonymous.close();
  }
}

/** Returns null if the server refused the request, `otherwise` if it did not; throws any other error. */
async function expectRefusal(request: Promise<unknown>, otherwise: string): Promise<string | null> {
  try {
    await request;
    return otherwise;
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'refused') {
      return null;
    }
    throw error;
  }
}

/** Status of a put for which the object store has no room. */
const STORE_IS_FULL = 507;

/** Returns the remediation of a storage error for the operator, in one sentence. */
function getStorageRemediation(error: StorageError, bucket: string): string {
  if (error.serverCode === 'RequestTimeTooSkewed') {
    return 'set the clock of this machine or of the object store';
  }
  if (error.serverCode === 'InvalidAccessKeyId') {
    return 'check S3_ACCESS_KEY: the object store has no such key';
  }
  if (error.serverCode === 'SignatureDoesNotMatch') {
    return 'check S3_SECRET_KEY and S3_REGION';
  }
  if (error.status === STORE_IS_FULL) {
    return 'free or add disk at the object store';
  }
  if (error.serverCode === 'ENOTFOUND') {
    return 'check the host name in S3_ENDPOINT';
  }
  switch (error.fault) {
    case 'unreachable':
      return 'check S3_ENDPOINT, that the object store runs there, and http against https';
    case 'timeout':
      return 'check that S3_ENDPOINT can be reached from here (firewall, proxy) and that the object store is not overloaded';
    case 'refused':
      if (error.status === undefined) {
        return 'give the machine, container or service account a role that may use the bucket, or set S3_CREDENTIALS=keys';
      }
      return `check S3_ACCESS_KEY and S3_SECRET_KEY, and that they may list, read, write and delete in the bucket ${bucket}`;
    case 'no-bucket':
      return `create the bucket ${bucket}, or set S3_BUCKET to one that exists`;
    case 'request':
      return 'check S3_BUCKET: 3 to 63 characters of a-z, 0-9, dots and hyphens';
    case 'answer':
    case 'too-large':
    case 'range':
      return 'check the log of the object store';
  }
}
