import type { BucketDependencies } from './bucket-dependencies.js';
import { createCaller } from './create-caller.js';
import { ensureBucket } from './ensure-bucket.js';
import { listObjects } from './list-objects.js';
import type { ObjectStore } from './object-store.js';
import { pingBucket } from './ping-bucket.js';
import { probeBucket } from './probe-bucket.js';
import { putObject } from './put-object.js';
import { readObject } from './read-object.js';
import { removeObjects } from './remove-objects.js';
import { replaceObject } from './replace-object.js';
import { statObject } from './stat-object.js';
import { streamObject } from './stream-object.js';

/** Where the objects are and who asks for them. */
export interface ObjectStoreSettings {
  /** `http://host:port` or `https://host`, without a path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The longest any call takes, 10 s unless told. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const READ_LIMIT_BYTES = 64 * 1024 ** 2;

/** The object store on the S3 protocol, through the minio client; connects when first used. */
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
    probe: (options) => probeBucket(deps, options),
    close,
  };
}
