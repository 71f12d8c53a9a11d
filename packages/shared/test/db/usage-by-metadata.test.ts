import { sumUsage } from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { insertHistory } from './support/insert-history.js';

let database: TestDatabase;
let account: TestAccount;
beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database, { balanceMicros: 1_000_000_000n });
  const tasks = Array.from(
    { length: 1_010 },
    (_, index) =>
      ({
        id: `gen_${String(index).padStart(22, '0')}`,
        createdMs: index,
        status: 'completed',
        model: 'nanobanana',
        type: 'image_generate',
      }) as const,
  );
  await insertHistory(database, account, tasks);
  // Two tasks of one user, one of each of 1,006 others, two of nobody. Values are written as an erasure could not: past the trigger.
  await database.pool.query(`
    ALTER TABLE tasks DISABLE TRIGGER tasks_laws; ALTER TABLE usage_records DISABLE TRIGGER usage_records_append_only;
    UPDATE tasks SET metadata = jsonb_build_object('user', 'u' || GREATEST(right(id, 4)::int, 1)) WHERE right(id, 4)::int < 1008;
    UPDATE usage_records u SET metadata = t.metadata FROM tasks t WHERE t.id = u.task_id;
    ALTER TABLE tasks ENABLE TRIGGER tasks_laws; ALTER TABLE usage_records ENABLE TRIGGER usage_records_append_only;
    SELECT recount()`);
});
afterAll(async () => {
  await database.checkInvariants();
  await database.close();
});

test('a sum by metadata has the 1,000 dearest values, one entry for the others and one for usage without it', async () => {
  const rows = await sumUsage(database.db, account.id, {
    groups: [],
    metadataKey: 'user',
    includeRefunds: false,
  });
  const costs = rows.map(({ metadata, costMicros }) => [metadata?.user ?? null, costMicros] as const);
  expect(costs.slice(0, 3)).toEqual([
    ['…', 70_000n],
    ['u1', 20_000n],
    [null, 20_000n],
  ]);
  expect(costs).toHaveLength(1_002);
  expect(costs.reduce((sum, [, cost]) => sum + cost, 0n)).toBe(10_100_000n);
});
