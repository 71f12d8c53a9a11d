import { settleTask } from '@image-gateway/shared/billing';
import {
  addOutput,
  claimDeliveries,
  claimTask,
  finishDelivery,
  type Statement,
} from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
let account: TestAccount;
beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
afterAll(async () => {
  await database.checkInvariants();
  await database.close();
});

const terms = { workerId: 'w', leaseMs: 60_000, maxTries: 3 };
const fail = (why: string): never => {
  throw new Error(why);
};
const run = <T = Record<string, unknown>>(...args: string[]) => runCommand<T>({ db: database.db }, ...args);
const readState = async (id: string) =>
  (await database.pool.query('SELECT status, phase, tries, attempt, error FROM tasks WHERE id = $1', [id]))
    .rows[0];
const running = async (webhookUrl?: string) => {
  const task = await createTestTask(database.db, account, {
    request: { prompt: 'planted prompt', ...(webhookUrl !== undefined && { webhook_url: webhookUrl }) },
  });
  const claimed = await eventually(
    async () => (await claimTask(database.db, terms, task.id)) ?? fail('not claimed'),
  );
  return { id: task.id, attempt: claimed.attempt };
};
const completed = async (webhookUrl?: string) => {
  const { id, attempt } = await running(webhookUrl);
  const image = { contentType: 'image/png', bytes: 10, width: 1, height: 1, sha256: 'x' };
  const output = { index: 0, slot: 0, key: `images/${id}/0.png`, ...image };
  await addOutput(database.db, { taskId: id, attempt }, output);
  const settled = await settleTask(
    { db: database.db, newId, fileUrl: 'http://f' },
    { taskId: id, attempt, reason: 'x' },
  );
  if (!settled.settled) {
    throw new Error('not settled');
  }
  return { id, deliveryId: settled.deliveryId ?? '' };
};

describe('tasks', () => {
  test('tasks are shown with all that hangs on them, and with what the customer wrote only when asked', async () => {
    const { id } = await completed('https://hooks.example/path?token=planted');
    const { value } = await run('task', 'show', id);
    expect(value).toMatchObject({
      id,
      account_id: account.id,
      status: 'completed',
      cost: '$0.0100',
      hold: '$0.00',
      outputs: [{ index: 0, key: `images/${id}/0.png` }],
      provider_calls: [],
      ledger: [{ kind: 'capture', amount: '$0.0100' }],
      webhook: { state: 'pending', attempt: 0, host: 'hooks.example:443' },
    });
    expect(JSON.stringify(value)).not.toContain('planted');
    expect((await run('task', 'show', id, '--verbose')).value).toMatchObject({ prompt: 'planted prompt' });
    expect((await run('task', 'show', 'gen_none')).value.error?.code).toBe('NOT_FOUND');
  });

  test('tasks that wait are requeued with all their tries and due now; others are not', async () => {
    const waiting = await createTestTask(database.db, account);
    await database.pool.query(
      `UPDATE tasks SET tries = 2, due_at = now() + interval '1 hour' WHERE id = $1`,
      [waiting.id],
    );
    expect((await run('task', 'requeue', waiting.id)).code).toBe(0);
    const { rows } = await database.pool.query(
      'SELECT tries, due_at <= now() AS due FROM tasks WHERE id = $1',
      [waiting.id],
    );
    expect(rows).toEqual([{ tries: 0, due: true }]);
    for (const id of [(await running()).id, (await completed()).id, 'gen_none']) {
      expect((await run('task', 'requeue', id)).code).toBe(1);
    }
  });

  test('tasks that wait or run are failed with the very words, at no cost; what has ended is left alone', async () => {
    const waiting = await createTestTask(database.db, account);
    const { id, attempt } = await running();
    for (const taskId of [waiting.id, id]) {
      const { code } = await run('task', 'fail', taskId, '--reason', ' withdrawn on request ');
      expect([code, await readState(taskId)]).toEqual([
        0,
        expect.objectContaining({ status: 'failed', error: 'withdrawn on request' }),
      ]);
    }
    const late = await settleTask(
      { db: database.db, newId, fileUrl: 'http://f' },
      { taskId: id, attempt, reason: 'late' },
    );
    expect(late.settled).toBe(false);
    const again = await run('task', 'fail', id, '--reason', 'again');
    expect([again.code, again.value.error?.message]).toEqual([
      1,
      `Task ${id} is failed and cannot be changed.`,
    ]);
    expect((await run('task', 'fail', 'gen_none', '--reason', 'x')).value.error?.code).toBe('NOT_FOUND');
  });

  test('tasks that a worker claims at that very moment are failed all the same', async () => {
    const { id } = await createTestTask(database.db, account);
    let claimed = 0;
    const racing: PrismaDatabase = {
      ...database.db,
      run: async <Row>(statement: Statement, values: readonly unknown[]) => {
        const rows = await database.db.run<Row>(statement, values);
        if (statement.name === 'find-task' && claimed++ === 0) {
          await eventually(async () => (await claimTask(database.db, terms, id)) ?? fail('not claimed'));
        }
        return rows;
      },
    };
    expect((await runCommand({ db: racing }, 'task', 'fail', id, '--reason', 'now')).code).toBe(0);
    expect([claimed, await readState(id)]).toEqual([
      2,
      expect.objectContaining({ status: 'failed', attempt: 1 }),
    ]);
  });

  test('tasks that were paid are refunded once, however many ask at a time', async () => {
    const { id } = await completed();
    const refund = () => run('task', 'refund', id, '--reason', 'broken');
    const runs = await Promise.all(Array.from({ length: 5 }, refund));
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1, 1]);
    expect((await run('task', 'show', id)).value).toMatchObject({
      ledger: [{ kind: 'capture' }, { kind: 'refund', amount: '$0.0100', reason: 'broken' }],
    });
    const failed = await createTestTask(database.db, account);
    await run('task', 'fail', failed.id, '--reason', 'x');
    const refused = [failed.id, 'gen_none'].map((task) => run('task', 'refund', task, '--reason', 'x'));
    const codes = (await Promise.all(refused)).map(({ value }) => value.error?.code);
    expect(codes).toEqual(['BAD_REQUEST', 'NOT_FOUND']);
  });
});

describe('webhooks', () => {
  test('webhooks are listed by task', async () => {
    const { id, deliveryId } = await completed('https://hooks.example/');
    expect((await run('webhook', 'list', '--task', id)).value).toEqual([
      expect.objectContaining({
        id: deliveryId,
        state: 'pending',
        attempt: 0,
        last_status: null,
        next_attempt_at: expect.any(String),
      }),
    ]);
    expect((await run('webhook', 'list', '--task', (await completed()).id)).value).toEqual([]);
    expect((await run('webhook', 'list', '--task', 'gen_none')).code).toBe(1);
  });

  test('webhooks are sent again from any state but while one is being sent', async () => {
    const { deliveryId: id } = await completed('https://hooks.example/');
    for (const state of ['delivered', 'failed'] as const) {
      const claimed = await eventually(
        async () => (await claimDeliveries(database.db, [id], 60_000))[0] ?? fail('not claimed'),
      );
      expect((await run('webhook', 'resend', id)).value.error?.message).toContain('being sent now');
      const { attempt } = claimed;
      expect(
        await finishDelivery(database.db, { id, attempt, end: { state }, status: 200, error: null }),
      ).toBe(true);
      const { code, value } = await run('webhook', 'resend', id);
      expect([code, value]).toEqual([
        0,
        expect.objectContaining({ id, state: 'pending', attempt, delivered_at: null }),
      ]);
    }
    expect((await run('webhook', 'resend', 'msg_none')).value.error?.code).toBe('NOT_FOUND');
  });
});
