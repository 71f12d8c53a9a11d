import type { BucketDependencies } from './bucket-dependencies.js';

const PING_MS = 2_000;

/** Throws unless the bucket is there and may be used, within 2 s. */
export async function pingBucket({ call, bucket, timeoutMs }: BucketDependencies): Promise<void> {
  // A listing of nothing: unlike a HEAD of the bucket, a refusal of it comes with its reason.
  await call('ping', (client) => client.listObjectsV2Query(bucket, 'ping/', '', '', 1, ''), {
    timeoutMs: Math.min(PING_MS, timeoutMs),
  });
}
