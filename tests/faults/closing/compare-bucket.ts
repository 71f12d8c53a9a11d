import { createObjectStore } from '@image-gateway/shared/storage';
import { eventually } from '@image-gateway/testing';
import type { Laboratory } from '../lab/start-laboratory.js';

// The embedded store reads every object to list them in one page, which takes long after a long run.
const LISTING_MS = 120_000;

/**
 * Makes every later orphan check due at once, waits for all of them, and compares the bucket with the outputs of
 * completed tasks. No image may be missing and no object may be left over.
 */
export async function compareBucket(lab: Laboratory): Promise<string[]> {
  const { pool } = lab.services.database;
  await eventually(
    async () => {
      await pool.query("UPDATE orphan_checks SET due_at = now() WHERE due_at > now() + interval '2 min'");
      const { rows } = await pool.query<{ left: number }>('SELECT count(*)::int AS left FROM orphan_checks');
      if (rows[0]?.left !== 0) {
        throw new Error(`${rows[0]?.left} looks at objects are left`);
      }
    },
    { timeoutMs: 120_000, everyMs: 300 },
  );
  const { url, accessKey, secretKey } = lab.services.s3;
  const store = createObjectStore({
    endpoint: url,
    region: 'us-east-1',
    bucket: 'image-gateway',
    accessKey,
    secretKey,
    timeoutMs: LISTING_MS,
  });
  const stored = new Set(await store.list('images/'));
  store.close();
  const { rows } = await pool.query<{ key: string }>(
    "SELECT o.key FROM task_outputs o JOIN tasks t ON t.id = o.task_id WHERE t.status = 'completed' AND t.erased_at IS NULL",
  );
  const shown = new Set(rows.map(({ key }) => key));
  const missing = [...shown].filter((key) => !stored.has(key));
  const left = [...stored].filter((key) => !shown.has(key));
  return [
    ...missing.slice(0, 5).map((key) => `${key} is missing from the bucket (${missing.length} in all)`),
    ...left.slice(0, 5).map((key) => `${key} is left over in the bucket (${left.length} in all)`),
  ];
}
