import { adjustAccount, creditAccount, refundTask, settleTask } from '@image-gateway/shared/billing';
import { findTask } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { presentTask } from '@image-gateway/shared/presenters';
import type { PublicTask, WebhookEvent } from '@image-gateway/shared/task/schema';
import {
  applyCatalog,
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

const deps = () => ({ db: database.db, newId, fileUrl: 'http://files' });
const webhook = { webhook_url: 'https://hooks.example/x' };

async function storeImages(taskId: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await database.pool.query(
      `WITH t AS (UPDATE tasks SET stored_count = stored_count + 1 WHERE id = $1 RETURNING id, stored_count - 1 AS index)
       INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
       SELECT id, index, index, 'images/' || id || '/' || index || '.png', 'image/png', 1, 1, 1, 'x' FROM t`,
      [taskId],
    );
  }
}

describe('settling a task', () => {
  test('what is stored is charged, the rest of the hold is released, and the webhook says what the task is', async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account, { request: { num_outputs: 4, ...webhook } });
    await storeImages(task.id, 3);
    const result = await settleTask(deps(), { taskId: task.id, attempt: 0, reason: 'unused' });
    expect(result).toMatchObject({ settled: true, status: 'completed' });
    const row = await database.db.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
    expect(row).toMatchObject({ balanceMicros: 9_970_000n, heldMicros: 0n, openCount: 0, usageCount: 1n });
    const delivery = await database.db.prisma.webhookDelivery.findUniqueOrThrow({
      where: { taskId: task.id },
    });
    const settled = await findTask(database.db, task.id);
    const shown: PublicTask = presentTask(settled as never, 'http://files');
    const event = JSON.parse(delivery.body) as WebhookEvent;
    expect(event.data).toEqual(shown);
    expect(event.timestamp).toBe(shown.completed_at);
    expect(shown.completed_at).not.toBe(shown.created_at);
    expect(delivery.body).toContain(JSON.stringify(shown));
    expect(shown).toMatchObject({ cost: '$0.0300', output: { urls: { length: 3 } } });
    await database.checkInvariants('rest');
  });

  test('nothing stored fails at no cost, with the hold released and started_at equal to completed_at', async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account, { request: webhook });
    await settleTask(deps(), { taskId: task.id, attempt: 0, reason: 'The upstream provider failed.' });
    const settled = await findTask(database.db, task.id);
    expect(settled).toMatchObject({
      status: 'failed',
      costMicros: 0n,
      error: 'The upstream provider failed.',
    });
    expect(settled?.startedAt).toEqual(settled?.completedAt);
    await database.checkInvariants('rest');
  });

  test('ten settlements at once charge once and write one webhook', async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account, { request: { num_outputs: 2, ...webhook } });
    await storeImages(task.id, 2);
    const results = await Promise.all(
      Array.from({ length: 10 }, () => settleTask(deps(), { taskId: task.id, attempt: 0, reason: 'x' })),
    );
    expect(results.filter((result) => result.settled)).toHaveLength(1);
  });

  test('an attempt that was overtaken changes nothing', async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account);
    await database.pool.query('UPDATE tasks SET attempt = 2 WHERE id = $1', [task.id]);
    expect(await settleTask(deps(), { taskId: task.id, attempt: 1, reason: 'late' })).toEqual({
      settled: false,
    });
    expect(await findTask(database.db, task.id)).toMatchObject({ status: 'pending', attempt: 2 });
  });

  test('an image stored between reading and settling is charged too', async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account, { request: { num_outputs: 2 } });
    await storeImages(task.id, 1);
    let interfered = false;
    const db = {
      run: async (statement: { name: string; text: string }, values: readonly unknown[]) => {
        if (statement.name === 'settle-task' && !interfered) {
          interfered = true;
          await storeImages(task.id, 1);
        }
        return database.db.run(statement, values) as never;
      },
    };
    await settleTask({ ...deps(), db }, { taskId: task.id, attempt: 0, reason: 'x' });
    expect(await findTask(database.db, task.id)).toMatchObject({
      status: 'completed',
      costMicros: 20_000n,
      storedCount: 2,
    });
  });

  test("an operator's end discards what is stored and charges nothing", async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account);
    await storeImages(task.id, 1);
    await settleTask(deps(), { taskId: task.id, attempt: 0, reason: 'By hand.', discardImages: true });
    expect(await findTask(database.db, task.id)).toMatchObject({
      status: 'failed',
      costMicros: 0n,
      error: 'By hand.',
    });
  });

  test('a finished task never changes again', async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account, { idempotencyKey: 'k' });
    await settleTask(deps(), { taskId: task.id, attempt: 0, reason: 'x' });
    for (const change of [
      "status = 'completed'",
      "error = 'y'",
      'attempt = 5',
      "idem_key = 'z'",
      'tries = 1',
    ]) {
      await expect(
        database.pool.query(`UPDATE tasks SET ${change} WHERE id = $1`, [task.id]),
      ).rejects.toThrow();
    }
    await database.pool.query('UPDATE tasks SET idem_key = NULL, idem_fingerprint = NULL WHERE id = $1', [
      task.id,
    ]);
  });
});

describe('money moved by hand', () => {
  const by = () => ({ db: database.db, newId });

  test('50 credits at once with one reference count once', async () => {
    const account = await createTestAccount(database, { balanceMicros: 0n });
    const credit = { accountId: account.id, amountMicros: 5_000_000n, reference: account.id };
    const results = await Promise.all(Array.from({ length: 50 }, () => creditAccount(by(), credit)));
    expect(results.filter((result) => result.credited)).toHaveLength(1);
    await expect(creditAccount(by(), { ...credit, amountMicros: 1n })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    const row = await database.db.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
    expect(row.balanceMicros).toBe(5_000_000n);
  });

  test('an adjustment never takes what is held', async () => {
    const account = await createTestAccount(database, { balanceMicros: 30_000n });
    await createTestTask(database.db, account, { request: { num_outputs: 2 } });
    const adjust = (deltaMicros: bigint) =>
      adjustAccount(by(), { accountId: account.id, deltaMicros, reason: 'test' });
    await expect(adjust(-10_001n)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await adjust(-10_000n);
    await adjust(5_000n);
    const row = await database.db.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
    expect(row).toMatchObject({ balanceMicros: 25_000n, heldMicros: 20_000n });
  });

  test('a task is refunded once, all of it, and only when it was charged', async () => {
    const account = await createTestAccount(database);
    const task = await createTestTask(database.db, account);
    const refund = () => refundTask(by(), { taskId: task.id, reason: 'sorry' });
    await expect(refund()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await storeImages(task.id, 1);
    await settleTask(deps(), { taskId: task.id, attempt: 0, reason: 'x' });
    const results = await Promise.allSettled(Array.from({ length: 10 }, refund));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    const row = await database.db.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
    expect(row.balanceMicros).toBe(10_000_000n);
  });
});

test('the audit entry of an end by hand is written by the statement that ends the task, or neither happens', async () => {
  const account = await createTestAccount(database);
  const task = await createTestTask(database.db, account);
  const entries = async () =>
    (await database.pool.query('SELECT action, detail FROM audit_entries WHERE subject = $1', [task.id]))
      .rows;
  await database.pool.query(
    `INSERT INTO audit_entries (id, action, subject, detail) VALUES ('aud_taken', 'x', 'x', '{}')`,
  );
  const input = { taskId: task.id, attempt: 0, reason: 'withdrawn', audit: { actor: 'test' } };
  const taken: typeof newId = (prefix) => (prefix === 'aud' ? 'aud_taken' : newId(prefix));
  await expect(settleTask({ ...deps(), newId: taken }, input)).rejects.toThrow();
  expect(await findTask(database.db, task.id)).toMatchObject({ status: 'pending' });
  expect(await settleTask(deps(), input)).toMatchObject({ settled: true });
  expect(await settleTask(deps(), input)).toEqual({ settled: false });
  expect(await entries()).toEqual([{ action: 'task.fail', detail: { actor: 'test' } }]);
});

// Last, since submits name the first version, which has been replaced from here on.
test('the price of the submit is charged, whatever the catalog says by then', async () => {
  const account = await createTestAccount(database);
  const task = await createTestTask(database.db, account);
  await applyCatalog(database, 'models: { nanobanana: { price: { 1k: "0.05", 2k: "0.05", 4k: "0.05" } } }');
  await storeImages(task.id, 1);
  await settleTask(deps(), { taskId: task.id, attempt: 0, reason: 'unused' });
  expect(await findTask(database.db, task.id)).toMatchObject({ costMicros: 10_000n });
});
