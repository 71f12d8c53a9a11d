import type { TestDatabase } from '@image-gateway/testing';
import type { World } from './world.js';

interface Row {
  readonly id: string;
  readonly idemKey: string;
  readonly status: string;
  readonly webhookUrl: string | null;
  readonly calls: number;
  readonly keys: readonly string[];
}

const SQL = `
SELECT t.id, t.idem_key AS "idemKey", t.status, t.webhook_url AS "webhookUrl",
       (SELECT count(*)::int FROM provider_calls c WHERE c.task_id = t.id) AS calls,
       ARRAY(SELECT o.key FROM task_outputs o WHERE o.task_id = t.id) AS keys
  FROM tasks t WHERE t.account_id = $1`;

/** Compares the database with what the world has seen once everything has come to rest. */
export async function checkHistory(
  database: TestDatabase,
  world: World,
  accountId: string,
): Promise<string[]> {
  const { rows } = await database.pool.query<Row>(SQL, [accountId]);
  const byKey = new Map(rows.map((row) => [row.idemKey, row]));
  const faults: string[] = [];
  for (const [key, id] of world.told) {
    if (byKey.get(key)?.id !== id) {
      faults.push(`${key} was told ${id}, there is ${byKey.get(key)?.id ?? 'nothing'}`);
    }
  }
  for (const { id, status, webhookUrl, calls, keys } of rows) {
    if (status === 'pending') {
      faults.push(`${id} is pending`);
    }
    const seen = world.calls.get(id) ?? 0;
    if (seen > calls) {
      faults.push(`${id}: the provider saw ${seen} calls, ${calls} were written down`);
    }
    for (const key of keys) {
      if (!world.bucket.has(key)) {
        faults.push(`${id}: ${key} is not in the bucket`);
      }
    }
    const body = world.posts.get(id);
    if ((body !== undefined) !== (webhookUrl !== null)) {
      faults.push(`${id}: its webhook was sent: ${body !== undefined}`);
    }
    if (body !== undefined && !body.includes(`"task.${status}"`)) {
      faults.push(`${id} is ${status}, its webhook says ${body}`);
    }
  }
  return faults;
}
