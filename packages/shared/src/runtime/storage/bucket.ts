import type { Call } from './create-caller.js';

/** Client and name of the bucket, which every operation uses. */
export interface BucketDependencies {
  readonly call: Call;
  readonly bucket: string;
  readonly timeoutMs: number;
}

/** Creates the bucket unless it exists; two processes may do so at once. */
export async function ensureBucket({ call, bucket }: BucketDependencies, region: string): Promise<void> {
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
export async function pingBucket({ call, bucket, timeoutMs }: BucketDependencies): Promise<void> {
  // A listing of nothing: unlike a HEAD of the bucket, a refusal of it comes with its reason.
  await call('ping', (client) => client.listObjectsV2Query(bucket, 'ping/', '', '', 1, ''), {
    timeoutMs: Math.min(PING_MS, timeoutMs),
  });
}
