import type { BucketDependencies } from './bucket-dependencies.js';

/** Makes the bucket unless it is there; two processes may do so at once. */
export async function ensureBucket({ call, bucket }: BucketDependencies, region: string): Promise<void> {
  const exists = () => call('look for the bucket', (client) => client.bucketExists(bucket));
  if (await exists()) return;
  try {
    await call('make the bucket', (client) => client.makeBucket(bucket, region));
  } catch (error) {
    // Whatever the server says about the second of two makers, the bucket being there is what counts.
    if (!(await exists())) throw error;
  }
}
