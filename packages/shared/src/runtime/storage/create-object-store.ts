import type { Readable } from 'node:stream';
import { type BucketDependencies, createCaller } from './create-caller.js';
import {
  type ListedObject,
  listPages,
  type ObjectInfo,
  readObject,
  removeObjects,
  statObject,
} from './objects.js';
import { type ObjectBody, type PutOptions, putObject, replaceObject } from './put-object.js';
import type { KeySettings } from './sign-requests.js';
import { type ByteRange, streamObject } from './stream-object.js';

/**
 * One private bucket. Every method ends within the store's time limit. It throws nothing but StorageError for a server
 * that is unreachable, hangs, refuses or sends an invalid response.
 */
export interface ObjectStore {
  /**
   * Stores an object unless the key is taken: the first writer wins. The result `exists` may also mean that this very
   * call was the first writer and its response was lost. The caller therefore reads the stored object.
   */
  put(key: string, body: ObjectBody, options: PutOptions): Promise<'stored' | 'exists'>;
  /** Stores an object and overwrites an existing one. */
  replace(key: string, body: ObjectBody, options: PutOptions): Promise<void>;
  stat(key: string): Promise<ObjectInfo | null>;
  /** Returns the whole object; more than `maxBytes` (64 MiB by default) is an error that is not retryable. */
  read(key: string, maxBytes?: number): Promise<Buffer | null>;
  /**
   * Returns the object as it arrives. The time limit counts to the first byte and then between requested bytes, so a
   * slow reader is no fault of the store. The caller reads the body to its end or destroys it.
   */
  stream(key: string, range?: ByteRange): Promise<{ body: Readable; info: ObjectInfo } | null>;
  /** Returns all keys that begin with the prefix, in the order of their UTF-8 bytes. */
  list(prefix: string): Promise<string[]>;
  /** Yields all objects whose keys begin with the prefix, in the same order, a thousand at a time. */
  pages(prefix: string): AsyncGenerator<readonly ListedObject[]>;
  /** Removes the objects of these keys; a key without an object is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Creates the bucket unless it exists. */
  ensureBucket(): Promise<void>;
  /** Throws, after 2 s at most, unless the bucket exists and the credentials are right. */
  ping(): Promise<void>;
  /** Ends the idle connections. */
  close(): void;
}

/** Address, bucket and credentials of an object store. */
export interface ObjectStoreSettings extends KeySettings {
  /** `http://host:port` or `https://host`, without a path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
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
    list: async (prefix) => {
      const keys: string[] = [];
      for await (const page of listPages(deps, prefix)) {
        keys.push(...page.map(({ key }) => key));
      }
      return keys;
    },
    pages: (prefix) => listPages(deps, prefix),
    remove: (keys) => removeObjects(deps, keys),
    ensureBucket: () => ensureBucket(deps, region),
    ping: () => pingBucket(deps),
    close,
  };
}

/** Creates the bucket unless it exists; two processes may do so at once. */
async function ensureBucket({ call, bucket }: BucketDependencies, region: string): Promise<void> {
  const exists = () => call('look for the bucket', (client) => client.bucketExists(bucket));
  if (await exists()) {
    return;
  }
  try {
    await call('make the bucket', (client) => client.makeBucket(bucket, region));
  } catch (error) {
    // Servers differ in their error for the second of two creations; an existing bucket is success.
    if (!(await exists())) {
      throw error;
    }
  }
}

const PING_MS = 2_000;

/** Throws StorageError, within 2 s, unless the bucket exists and the credentials allow its use. */
async function pingBucket({ call, bucket, timeoutMs }: BucketDependencies): Promise<void> {
  // A listing of nothing: unlike a HEAD of the bucket, a refusal of it comes with its reason.
  await call('ping', (client) => client.listObjectsV2Query(bucket, 'ping/', '', '', 1, ''), {
    timeoutMs: Math.min(PING_MS, timeoutMs),
  });
}
