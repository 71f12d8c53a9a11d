import type { BucketDependencies } from './bucket-dependencies.js';
import { infoOfResponse } from './info-of-response.js';
import { nullIfMissing } from './null-if-missing.js';
import { StorageError } from './storage-error.js';

/** The whole object in memory, or null; its last byte must come within the time limit too. */
export async function readObject(
  { call, bucket }: BucketDependencies,
  key: string,
  maxBytes: number,
): Promise<Buffer | null> {
  return nullIfMissing(() =>
    call(`read ${key}`, async (client, seen) => {
      const body = await client.getObject(bucket, key);
      const { bytes } = infoOfResponse(seen);
      if (bytes > maxBytes) {
        throw new StorageError({
          fault: 'too-large',
          message: `read ${key}: ${bytes} bytes, ${maxBytes} allowed`,
        });
      }
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    }),
  );
}
