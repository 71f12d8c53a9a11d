import { settleTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;
let statements: readonly string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants('rest'));
afterAll(() => database.close());

/** Settles as a worker does, and notes which statements that takes. */
function settler() {
  const process = noteStatements(database);
  statements = process.statements;
  const deps = { db: process.db, newId, fileUrl: 'http://files' };
  return (taskId: string, attempt = 0) => settleTask(deps, { taskId, attempt, reason: 'x' });
}
const accounts = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createTestAccount(database)));
/** A task with its images stored. */
async function doneTask(account: TestAccount, images = 1): Promise<string> {
  const request = { num_outputs: 2, webhook_url: 'https://hooks.example/x' };
  const { id } = await createTestTask(database.db, account, { request });
  await database.pool.query(
    `WITH t AS (UPDATE tasks SET stored_count = $2 WHERE id = $1 RETURNING id)
     INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
     SELECT id, i, i, 'images/' || id || '/' || i || '.png', 'image/png', 1, 1, 1, 'x'
       FROM t, generate_series(0, $2 - 1) AS i`,
    [id, images],
  );
  return id;
}
const readMoney = async ({ id }: TestAccount) =>
  (
    await database.pool.query(
      'SELECT balance_micros::int AS balance, held_micros::int AS held, open_count AS open, usage_count::int AS used FROM accounts WHERE id = $1',
      [id],
    )
  ).rows[0];

describe('tasks settled in batches', () => {
  test('hundreds at once over some accounts, each charged for what it has, in a few statements', async () => {
    const all = await accounts(5);
    const ids: string[] = [];
    for (const account of all) {
      for (let i = 0; i < 20; i++) {
        ids.push(await doneTask(account, i % 3));
      }
    }
    const settle = settler();
    const results = await Promise.all([...ids, ...ids].map((id) => settle(id)));
    expect(results.filter(({ settled }) => settled)).toHaveLength(100);
    // Of twenty tasks seven have nothing, seven one image, six two.
    for (const account of all) {
      expect(await readMoney(account)).toEqual({ balance: 10_000_000 - 190_000, held: 0, open: 0, used: 13 });
    }
    const { rows } = await database.pool.query(
      `SELECT units::int, cost_micros::int AS cost, requests::int FROM usage_daily WHERE account_id = $1`,
      [all[0]?.id],
    );
    expect(rows).toEqual([{ units: 19, cost: 190_000, requests: 13 }]);
    expect(statements.filter((name) => name.startsWith('settle-task')).length).toBeLessThan(20);
  });

  test('a settlement that the database refuses fails alone', async () => {
    const [account] = await accounts(1);
    if (!account) {
      throw new Error('no account');
    }
    const ids = await Promise.all(Array.from({ length: 12 }, () => doneTask(account)));
    const [bad = '', overtaken = ''] = ids;
    // A second delivery of one task breaks a rule of the database.
    await database.pool.query(
      `INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at)
       VALUES ('msg_x', $1, $2, 'https://x.example/', 'x.example:443', '', now())`,
      [bad, account.id],
    );
    const settle = settler();
    const results = await Promise.allSettled(ids.map((id) => settle(id, id === overtaken ? 9 : 0)));
    expect(results.map((one) => (one.status === 'fulfilled' ? one.value.settled : 'failed'))).toEqual([
      'failed',
      false,
      ...Array(10).fill(true),
    ]);
    expect(await readMoney(account)).toMatchObject({ balance: 10_000_000 - 100_000, open: 2, used: 10 });
    await database.pool.query("DELETE FROM webhook_deliveries WHERE id = 'msg_x'");
    await database.pool.query('SELECT recount()');
    await Promise.all([settle(bad), settle(overtaken)]);
  });

  test('an account that somebody else holds delays its own tasks only', async () => {
    const [held, free] = await accounts(2);
    if (!held || !free) {
      throw new Error('no accounts');
    }
    const stuck = await Promise.all([doneTask(held), doneTask(held)]);
    const others = await Promise.all([doneTask(free), doneTask(free)]);
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [held.id]);
    const settle = settler();
    let ended = 0;
    const waiting = stuck.map((id) => settle(id).finally(() => ended++));
    expect((await Promise.all(others.map((id) => settle(id)))).every(({ settled }) => settled)).toBe(true);
    expect(ended).toBe(0);
    await holder.query('COMMIT');
    holder.release();
    expect((await Promise.all(waiting)).every(({ settled }) => settled)).toBe(true);
  });

  test('settling and submitting on the same accounts from two processes never lock each other out', async () => {
    const all = await accounts(6);
    const ids: string[] = [];
    for (let i = 0; i < 15; i++) {
      for (const account of all) {
        ids.push(await doneTask(account));
      }
    }
    const [one, two] = [settler(), settler()];
    const results = await Promise.all([
      ...ids.map((id, i) => (i % 2 ? one : two)(id)),
      ...[...ids].reverse().map((id, i) => (i % 2 ? one : two)(id)),
    ]);
    expect(results.filter(({ settled }) => settled)).toHaveLength(ids.length);
  });
});
