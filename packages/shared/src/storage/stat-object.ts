import type { BucketDependencies } from './bucket-dependencies.js';
import { infoOfResponse } from './info-of-response.js';
import { nullIfMissing } from './null-if-missing.js';
import type { ObjectInfo } from './object-store.js';

/** What the store knows of an object, or null where there is none. */
export async function statObject(
  { call, bucket }: BucketDependencies,
  key: string,
): Promise<ObjectInfo | null> {
  return nullIfMissing(() =>
    call(`stat ${key}`, async (client, seen) => {
      await client.statObject(bucket, key);
      return infoOfResponse(seen);
    }),
  );
}
