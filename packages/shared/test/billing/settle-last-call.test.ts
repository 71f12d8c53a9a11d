import { cancelTask, type LastCall, settleTask } from '@image-gateway/shared/billing';
import {
  addOutput,
  type CallRow,
  type ClaimedTask,
  claimTask,
  finishCall,
  startCall,
} from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants('rest'));
afterAll(() => database.close());

const TERMS = { workerId: 'a', leaseMs: 60_000, maxTries: 3 };

interface Worked {
  readonly task: ClaimedTask;
  readonly last: Required<LastCall>;
}

/** A task whose only call has brought its last image; nothing of either is saved yet. */
async function work(account: TestAccount): Promise<Worked> {
  const request = { webhook_url: 'https://hooks.example/x' };
  const { id: taskId } = await createTestTask(database.db, account, { request });
  const task = await claimTask(database.db, TERMS, taskId);
  if (!task) {
    throw new Error('not claimed');
  }
  const call: CallRow = {
    id: newId('call'),
    attempt: task.attempt,
    provider: 'gemini',
    model: 'm',
    slots: [0],
    requestId: null,
    jobHandle: null,
    createdAt: new Date(),
    keyFingerprint: null,
    state: 'started',
    detail: null,
    costMicros: 40_000n,
  };
  await startCall(database.db, { taskId, knownCalls: 0 }, call);
  const image = { contentType: 'image/png', bytes: 10, width: 1024, height: 1024, sha256: 'x' };
  const output = { index: 0, slot: 0, key: `images/${taskId}/0.png`, ...image };
  const outcome = {
    callId: call.id,
    state: 'succeeded',
    detail: null,
    costMicros: 30_000n,
    upstreamId: 'up',
  } as const;
  return { task, last: { output, outcome } };
}
const settle = ({ id: taskId, attempt }: ClaimedTask, last: LastCall | null) =>
  settleTask(
    { db: database.db, newId, fileUrl: 'http://files' },
    { taskId, attempt, reason: 'x', isClean: true, last },
  );

/** All rows of a task, without ids and times. */
async function readRows({ id }: Pick<ClaimedTask, 'id'>): Promise<unknown> {
  const tables = [
    'task_outputs',
    'provider_calls',
    'ledger_transfers',
    'usage_records',
    'webhook_deliveries',
  ];
  const { rows } = await database.pool.query(
    `SELECT ARRAY[${['SELECT to_jsonb(t) FROM tasks t WHERE id = $1', ...tables.map((table) => `SELECT to_jsonb(r) FROM ${table} r WHERE task_id = $1`)].map((one) => `(${one})`).join(', ')}] AS rows,
            (SELECT count(*)::int FROM orphan_checks WHERE task_id = $1) + (SELECT count(*)::int FROM abandoned_calls a JOIN provider_calls c ON c.id = a.call_id WHERE c.task_id = $1) AS left`,
    [id],
  );
  const text = JSON.stringify(rows[0]).replaceAll(id, 'ID');
  return JSON.parse(
    text
      .replace(/\b(?:call|led|use|msg|acct|key|req)_\w+/g, 'id')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, 'time'),
  );
}

describe('a settlement with the last image and the outcome of its call', () => {
  test('one statement writes the same rows as three', async () => {
    const account = await createTestAccount(database);
    const [one, three] = [await work(account), await work(account)];
    expect(await settle(one.task, one.last)).toMatchObject({
      settled: true,
      status: 'completed',
      costMicros: 10_000n,
    });
    const { id: taskId, attempt } = three.task;
    await addOutput(database.db, { taskId, attempt }, three.last.output);
    await finishCall(database.db, three.last.outcome as NonNullable<LastCall['outcome']>);
    await settle(three.task, null);
    expect(await readRows(one.task)).toEqual(await readRows(three.task));
    expect(JSON.stringify(await readRows(one.task))).toContain('images/ID/0.png');
  });

  test('hundreds at once are settled once each', async () => {
    const account = await createTestAccount(database);
    const all = await Promise.all(Array.from({ length: 100 }, () => work(account)));
    const ends = await Promise.all([...all, ...all].map(({ task, last }) => settle(task, last)));
    expect(ends.filter(({ settled }) => settled)).toHaveLength(100);
    const { rows } = await database.pool.query(
      `SELECT (SELECT count(*)::int FROM tasks WHERE account_id = $1 AND stored_count = 1 AND cost_micros = 10000) AS tasks,
              (SELECT count(*)::int FROM provider_calls c JOIN tasks t ON t.id = c.task_id WHERE t.account_id = $1 AND c.state = 'succeeded') AS calls,
              (SELECT balance_micros::int FROM accounts WHERE id = $1) AS balance`,
      [account.id],
    );
    expect(rows).toEqual([{ tasks: 100, calls: 100, balance: 9_000_000 }]);
  });

  test('an image that has its row already is not counted twice', async () => {
    const account = await createTestAccount(database);
    const { task, last } = await work(account);
    await addOutput(database.db, { taskId: task.id, attempt: task.attempt }, last.output);
    expect(await settle(task, last)).toMatchObject({ settled: true, costMicros: 10_000n });
  });

  test('an attempt that was overtaken changes nothing of the task', async () => {
    const account = await createTestAccount(database);
    const { task, last } = await work(account);
    await database.pool.query('UPDATE tasks SET lease_until = now(), attempt = attempt + 1 WHERE id = $1', [
      task.id,
    ]);
    expect(await settle(task, last)).toEqual({ settled: false });
    await finishCall(database.db, last.outcome as NonNullable<LastCall['outcome']>);
    const { rows } = await database.pool.query('SELECT stored_count, status FROM tasks WHERE id = $1', [
      task.id,
    ]);
    expect(rows).toEqual([{ stored_count: 0, status: 'pending' }]);
    await settle({ ...task, attempt: task.attempt + 1 }, null);
  });

  test('a cancellation while the account is held by somebody else does not discard the image', async () => {
    const account = await createTestAccount(database);
    const { task, last } = await work(account);
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account.id]);
    const settling = settle(task, last);
    await eventually(async () => {
      const { rows } = await database.pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      expect(rows).toHaveLength(1);
    });
    const deps = { db: database.db, newId, fileUrl: 'http://files' };
    expect(await cancelTask(deps, { taskId: task.id, accountId: account.id })).toBe('pending');
    await holder.query('COMMIT');
    holder.release();
    expect(await settling).toMatchObject({ settled: true, status: 'completed', costMicros: 10_000n });
  });
});
