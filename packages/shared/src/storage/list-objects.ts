import type { BucketDependencies } from './bucket-dependencies.js';

const PAGE = 1_000;

/** All keys under a prefix; each page has the time limit for itself. */
export async function listObjects({ call, bucket }: BucketDependencies, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    // Paging by the last key instead of by token: every server agrees on what it means.
    const page = await call(`list ${prefix}`, (client) =>
      client.listObjectsV2Query(bucket, prefix, '', '', PAGE, keys.at(-1) ?? ''),
    );
    const names = page.objects.map(({ name }) => name).filter((name) => name !== undefined);
    keys.push(...names);
    if (!page.isTruncated || names.length === 0) return keys;
  }
}
