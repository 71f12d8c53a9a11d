import type { BucketDependencies } from './bucket-dependencies.js';
import { StorageError } from './storage-error.js';

const PING_MS = 2_000;

/** Throws unless the bucket is there and may be used, within 2 s. */
export async function pingBucket({ call, bucket, timeoutMs }: BucketDependencies): Promise<void> {
  const options = { timeoutMs: Math.min(PING_MS, timeoutMs) };
  const there = await call('ping', (client) => client.bucketExists(bucket), options);
  if (!there)
    throw new StorageError({ fault: 'no-bucket', message: `ping: the bucket ${bucket} does not exist` });
}
