import { settleTask } from '@image-gateway/shared/billing';
import { REASONS } from '@image-gateway/shared/contract';
import { claimDeliveries, finishDelivery } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let database: TestDatabase;

/** A task that failed because of its request and whose webhook was given up, and one whose webhook waits. */
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const account = await createTestAccount(database);
  const deps = { db, newId, fileUrl: 'http://gateway.test/files' };
  const fail = async (): Promise<string> => {
    const request = { webhook_url: 'http://hook.example/' };
    const { id: taskId } = await createTestTask(db, account, { request });
    const reason = REASONS.moderation;
    const end = await settleTask(deps, { taskId, attempt: 0, reason });
    if (!end.settled || end.deliveryId === null) {
      throw new Error('no webhook');
    }
    return end.deliveryId;
  };
  const id = await fail();
  await fail();
  await database.pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros)
     VALUES ('call_x', $1, 1, 'fal', 'm', 1, '{0}', 'failed', 4000)`,
    [(await createTestTask(db, account)).id],
  );
  const [delivery] = await claimDeliveries(db, [id], 20_000);
  const drawn = await createTestTask(db, account);
  await database.pool.query(
    `WITH t AS (UPDATE tasks SET stored_count = 1 WHERE id = $1 RETURNING id)
     INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
     SELECT id, 0, 0, 'images/' || id || '/0.png', 'image/png', 1, 1, 1, 'x' FROM t`,
    [drawn.id],
  );
  await settleTask(deps, { taskId: drawn.id, attempt: 0, reason: 'unused' });
  await database.pool.query('SELECT recount()');
  const outcome = { id, attempt: delivery?.attempt ?? 0, status: 410, error: null };
  await finishDelivery(db, { ...outcome, end: { state: 'failed' } });
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

test.each([
  ['I18', 'task_counts', 'tasks'],
  ['I19', 'usage_counts', 'units'],
  ['I20', 'accounts', 'webhook_count'],
  ['I21', 'webhook_hosts', 'pending'],
  ['I22', 'accounts', 'open_count'],
  ['I23', 'delivery_counts', 'failed'],
  ['I24', 'failed_task_counts', 'total'],
  ['I26', 'task_hours', 'failed'],
  ['I27', 'task_hours', 'failed_webhooks', -1],
  ['I28', 'key_spend', 'held_micros'],
  ['I28', 'key_spend', 'spent_micros'],
  ['I29', 'usage_daily', 'units'],
  ['I29', 'task_hours', 'images'],
  ['I30', 'provider_call_hours', 'calls'],
  ['I30', 'provider_call_hours', 'cost_micros'],
  ['I32', 'accounts', 'erased_count'],
  ['I35', 'key_spend', 'month_before_micros'],
  ['I35', 'key_spend', 'total_before_micros'],
  ['I38', 'usage_daily', 'cost_micros'],
])('%s finds that %s.%s is wrong, and a recount repairs it', async (name, table, column, by = 1) => {
  await database.pool.query(`UPDATE ${table} SET ${column} = ${column} + $1`, [by]);
  await expect(database.checkInvariants()).rejects.toThrow(`${name} `);
  await database.pool.query('SELECT recount()');
  await database.checkInvariants();
});

test.each([
  ['I34', 'provider_call_hours', 'public_model'],
  ['I34', 'provider_call_hours', 'quality'],
  ['I19', 'usage_counts', 'quality'],
])('%s finds that %s.%s is another, and a recount repairs it', async (name, table, column) => {
  await database.pool.query(`UPDATE ${table} SET ${column} = 'another'`);
  await expect(database.checkInvariants()).rejects.toThrow(`${name} `);
  await database.pool.query('SELECT recount()');
  await database.checkInvariants();
});
