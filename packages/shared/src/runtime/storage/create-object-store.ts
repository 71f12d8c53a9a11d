import { type BucketDependencies, ensureBucket, pingBucket } from './bucket.js';
import { createCaller } from './create-caller.js';
import type { ObjectStore } from './object-store.js';
import { listObjects, readObject, statObject } from './read-objects.js';
import { streamObject } from './stream-object.js';
import { putObject, removeObjects, replaceObject } from './write-objects.js';

/** Address, bucket and credentials of an object store. */
export interface ObjectStoreSettings {
  /** `http://host:port` or `https://host`, without a path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Empty, together with the secret key, for requests without a signature. */
  readonly accessKey: string;
  readonly secretKey: string;
  /** Maximum duration of a call; 10 s by default. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const READ_LIMIT_BYTES = 64 * 1024 ** 2;

/** Creates the object store on the S3 protocol, through the minio client; connects on first use. */
export function createObjectStore(settings: ObjectStoreSettings): ObjectStore {
  const { bucket, region, timeoutMs = TIMEOUT_MS } = settings;
  const { call, close } = createCaller({ ...settings, timeoutMs });
  const deps: BucketDependencies = { call, bucket, timeoutMs };
  return {
    put: (key, body, options) => putObject(deps, key, body, options),
    replace: (key, body, options) => replaceObject(deps, key, body, options),
    stat: (key) => statObject(deps, key),
    read: (key, maxBytes = READ_LIMIT_BYTES) => readObject(deps, key, maxBytes),
    stream: (key, range) => streamObject(deps, key, range),
    list: (prefix) => listObjects(deps, prefix),
    remove: (keys) => removeObjects(deps, keys),
    ensureBucket: () => ensureBucket(deps, region),
    ping: () => pingBucket(deps),
    close,
  };
}
