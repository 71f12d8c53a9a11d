import { settleTask } from '@image-gateway/shared/billing';
import { deleteOldCalls, finishCall, saveJobId, startCall } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;
let account: TestAccount;
let taskId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
beforeEach(async () => {
  await database.pool.query('DELETE FROM provider_calls');
  await database.pool.query('DELETE FROM provider_call_hours');
  await database.pool.query('DELETE FROM hour_journal');
  taskId = (await createTestTask(database.db, account)).id;
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

async function start(id: string, knownCalls: number): Promise<void> {
  const call = { id, attempt: 0, provider: 'fal', model: 'm', slots: [0], costMicros: 4_000n };
  const rest = {
    requestId: null,
    jobHandle: null,
    createdAt: new Date(),
    keyFingerprint: null,
    state: 'started',
    detail: null,
  } as const;
  expect(await startCall(database.db, { taskId, knownCalls }, { ...call, ...rest })).toBe('started');
}

const addUp = () => database.pool.query('SELECT add_up_hours()');
const readHours = async () => {
  await addUp();
  return (
    await database.pool.query<{ state: string; detail: string; calls: number; cost: number; timed: number }>(
      `SELECT state, detail, sum(calls)::int AS calls, sum(cost_micros)::int AS cost, sum(deleted)::int AS deleted,
              sum((SELECT COALESCE(sum(d), 0) FROM unnest(durations) d))::int AS timed
         FROM provider_call_hours GROUP BY 1, 2 HAVING sum(calls) <> 0 ORDER BY 1, 2`,
    )
  ).rows;
};

const readCosts = async () => {
  await addUp();
  return (
    await database.pool.query<{ model: string; cost: number }>(
      'SELECT public_model AS model, sum(cost_micros)::int AS cost FROM provider_call_hours GROUP BY 1 HAVING sum(cost_micros) <> 0',
    )
  ).rows;
};
const count = async (table: string): Promise<number> =>
  (await database.pool.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${table}`)).rows[0]?.rows ??
  0;

test('a call counts in its hour once it has an outcome, and calls that end together count together', async () => {
  const ids = ['a', 'b', 'c'].map((label) => `call_${label}${taskId}`);
  for (const [known, id] of ids.entries()) {
    await start(id, known);
  }
  expect(await readHours()).toEqual([]);
  const end = { detail: null, costMicros: 4_000n };
  await Promise.all([
    ...ids.slice(0, 2).map((callId) => finishCall(database.db, { ...end, callId, state: 'succeeded' })),
    finishCall(database.db, { callId: ids[2] ?? '', state: 'failed', detail: 'overload', costMicros: 0n }),
  ]);
  expect(await readHours()).toEqual([
    { state: 'failed', detail: 'overload', calls: 1, cost: 0, deleted: 0, timed: 0 },
    { state: 'succeeded', detail: '', calls: 2, cost: 8_000, deleted: 0, timed: 2 },
  ]);
});

test('a definite outcome takes the place of a guess, and a job that is found again is open again', async () => {
  const id = `call_g${taskId}`;
  await start(id, 0);
  await finishCall(database.db, { callId: id, state: 'unknown', detail: 'timeout', costMicros: 4_000n });
  expect(await readHours()).toMatchObject([{ state: 'unknown', calls: 1 }]);
  await saveJobId(database.db, { callId: id, jobId: 'job', handle: null });
  expect(await readHours()).toEqual([]);
  await finishCall(database.db, { callId: id, state: 'succeeded', detail: null, costMicros: 3_000n });
  expect(await readHours()).toMatchObject([{ state: 'succeeded', calls: 1, cost: 3_000, timed: 1 }]);
});

test('sums of calls outlive the calls, and a recount keeps them', async () => {
  const id = `call_d${taskId}`;
  await start(id, 0);
  await finishCall(database.db, { callId: id, state: 'succeeded', detail: null, costMicros: 4_000n });
  await settleTask({ db: database.db, newId, fileUrl: 'http://x' }, { taskId, attempt: 0, reason: 'x' });
  await eventually(async () => expect(await deleteOldCalls(database.db, { days: 0, limit: 100 })).toBe(1));
  const counted = [{ state: 'succeeded', detail: '', calls: 1, cost: 4_000, deleted: 1, timed: 1 }];
  expect(await readHours()).toEqual(counted);
  await database.checkInvariants();
  await database.pool.query('SELECT recount_hours()');
  expect(await readHours()).toEqual(counted);
});

test('what calls cost counts by the model of their task once they have an outcome, and outlives them', async () => {
  const [id, limited] = [`call_e${taskId}`, `call_f${taskId}`];
  await start(id, 0);
  await start(limited, 1);
  expect(await readCosts()).toEqual([]);
  await finishCall(database.db, { callId: id, state: 'unknown', detail: 'timeout', costMicros: 4_000n });
  await finishCall(database.db, { callId: limited, state: 'rate_limited', detail: null, costMicros: 0n });
  expect(await readCosts()).toEqual([{ model: 'nanobanana', cost: 4_000 }]);
  await saveJobId(database.db, { callId: id, jobId: 'job', handle: null });
  expect(await readCosts()).toEqual([]);
  await finishCall(database.db, { callId: id, state: 'succeeded', detail: null, costMicros: 3_000n });
  await database.pool.query('SELECT recount_hours()');
  expect(await readCosts()).toEqual([{ model: 'nanobanana', cost: 3_000 }]);
  await settleTask({ db: database.db, newId, fileUrl: 'http://x' }, { taskId, attempt: 0, reason: 'x' });
  await eventually(async () => expect(await deleteOldCalls(database.db, { days: 0, limit: 100 })).toBe(2));
  await database.pool.query('SELECT recount_hours()');
  expect(await readCosts()).toEqual([{ model: 'nanobanana', cost: 3_000 }]);
});

test('a settlement with the last outcome notes it for the hours and locks none of them; whoever adds up, each entry counts once', async () => {
  const id = `call_s${taskId}`;
  await start(id, 0);
  await addUp();
  const holder = await database.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE task_hours, provider_call_hours IN EXCLUSIVE MODE');
    await finishCall(database.db, { callId: id, state: 'failed', detail: 'overload', costMicros: 1_000n });
    await settleTask({ db: database.db, newId, fileUrl: 'http://x' }, { taskId, attempt: 0, reason: 'x' });
    expect(await count('hour_journal')).toBe(2);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  const before = await count('task_hours h, generate_series(1, h.failed) n');
  const [one, other] = await Promise.all([database.pool.connect(), database.pool.connect()]);
  try {
    await one.query('BEGIN');
    await one.query('SELECT add_up_hours()');
    // Entries that one session is adding are left to it: adding them as well would wait for its rows.
    await other.query("SET lock_timeout = '5s'");
    expect((await other.query('SELECT add_up_hours()::int AS added')).rows).toEqual([{ added: 0 }]);
    await one.query('COMMIT');
  } finally {
    one.release(true);
    other.release(true);
  }
  expect(await count('hour_journal')).toBe(0);
  expect(await count('task_hours h, generate_series(1, h.failed) n')).toBe(before + 1);
  expect(await readHours()).toEqual([
    { state: 'failed', detail: 'overload', calls: 1, cost: 1_000, deleted: 0, timed: 0 },
  ]);
});

test('one statement that ends many tasks writes one row of the journal', async () => {
  const { db, statements } = noteStatements(database);
  const tasks = await Promise.all(Array.from({ length: 5 }, () => createTestTask(database.db, account)));
  await addUp();
  const ends = tasks.map((task) =>
    settleTask({ db, newId, fileUrl: 'http://x' }, { taskId: task.id, attempt: 0, reason: 'x' }),
  );
  expect(await Promise.all(ends)).toMatchObject(tasks.map(() => ({ settled: true })));
  expect(await count('hour_journal')).toBe(statements.filter((name) => name === 'settle-task').length);
});
