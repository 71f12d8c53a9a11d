import type { BucketDependencies } from './bucket-dependencies.js';
import type { PutOptions } from './object-store.js';

/** One put request with the size and the type of the body, its metadata and further headers. */
export async function sendObject(
  { call, bucket }: BucketDependencies,
  what: string,
  key: string,
  body: Buffer,
  { contentType, metadata = {} }: PutOptions,
  headers: Record<string, string>,
): Promise<void> {
  const own = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name.toLowerCase()}`, value]);
  await call(what, (client) =>
    client.putObject(bucket, key, body, body.length, {
      ...Object.fromEntries(own),
      ...headers,
      'Content-Type': contentType,
    }),
  );
}
