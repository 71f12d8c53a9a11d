import {
  addOutput,
  type CallRow,
  type ClaimedTask,
  claimTask,
  type Database,
  finishCall,
  type OutputRow,
  startCall,
} from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;
let account: TestAccount;
let statements: readonly string[];
let db: Pick<Database, 'run'>;

beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
beforeEach(() => {
  ({ db, statements } = noteStatements(database));
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

const terms = (workerId: string) => ({ workerId, leaseMs: 30_000, maxTries: 3 });
const tasks = (count: number, numOutputs = 1) =>
  Promise.all(
    Array.from({ length: count }, () =>
      createTestTask(database.db, account, { request: { num_outputs: numOutputs } }),
    ),
  );
const claimAll = async (count: number, numOutputs = 1): Promise<ClaimedTask[]> => {
  const ids = (await tasks(count, numOutputs)).map(({ id }) => id);
  const claimed = await Promise.all(ids.map((id) => claimTask(database.db, terms('a'), id)));
  return claimed.flatMap((task) => task ?? []);
};
const output = (taskId: string, slot = 0): OutputRow => ({
  index: 0,
  slot,
  key: `images/${taskId}/0.png`,
  contentType: 'image/png',
  bytes: 353,
  width: 64,
  height: 36,
  sha256: `sha ${taskId}`,
});
const call = (id: string): CallRow => ({
  id,
  attempt: 1,
  provider: 'sandbox',
  model: 'm',
  slots: [0],
  requestId: null,
  jobHandle: null,
  createdAt: new Date(),
  keyFingerprint: null,
  state: 'started',
  detail: null,
  costMicros: 123n,
});

describe('statements that do many at once', () => {
  test('claims of one moment: each caller gets exactly its own task, and nobody gets one twice', async () => {
    const ids = (await tasks(100)).map(({ id }) => id);
    const { db: other } = noteStatements(database);
    const asked = [...ids, 'gen_0000000000000000000000', ...ids];
    const claims = await Promise.all(
      asked.flatMap((id) => [claimTask(db, terms('a'), id), claimTask(other, terms('b'), id)]),
    );
    claims.forEach((task, i) => {
      if (task) {
        expect(task.id).toBe(asked[Math.floor(i / 2)]);
      }
    });
    expect(claims.flatMap((task) => task?.id ?? []).sort()).toEqual([...ids].sort());
    for (const task of claims) {
      if (task) {
        expect(task).toMatchObject({ attempt: 1, prompt: 'a red fox' });
      }
    }
    expect(statements.length).toBeLessThan(30);
    const { rows } = await database.pool.query(
      'SELECT worker_id, count(*)::int FROM tasks WHERE id = ANY($1) GROUP BY 1',
      [ids],
    );
    const byWorker = Object.fromEntries(rows.map((row) => [row.worker_id, row.count]));
    const answered = (first: number) => claims.filter((task, i) => task && i % 2 === first).length;
    expect([byWorker.a ?? 0, byWorker.b ?? 0]).toEqual([answered(0), answered(1)]);
  });

  test('a row that breaks a rule fails alone, and one that was overtaken is refused alone', async () => {
    const [bad, overtaken, ...good] = await claimAll(20, 2);
    if (!bad || !overtaken) {
      throw new Error('no tasks');
    }
    await addOutput(database.db, { taskId: bad.id, attempt: 1 }, output(bad.id));
    const add = (task: ClaimedTask, attempt = 1, index = 0) =>
      addOutput(db, { taskId: task.id, attempt }, { ...output(task.id), index });
    // The slot of the bad one is taken already.
    const results = await Promise.allSettled([
      add(bad, 1, 1),
      add(overtaken, 7),
      ...good.map((task) => add(task)),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
      'failed',
      false,
      ...good.map(() => true),
    ]);
    const { rows } = await database.pool.query(
      'SELECT t.id FROM tasks t JOIN task_outputs o ON o.task_id = t.id AND o.sha256 = $2 || t.id WHERE t.id = ANY($1)',
      [good.map(({ id }) => id), 'sha '],
    );
    expect(rows).toHaveLength(good.length);
  });

  test('a row that somebody else holds keeps nobody else waiting for long', async () => {
    const [held, ...free] = await claimAll(10);
    if (!held) {
      throw new Error('no task');
    }
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM tasks WHERE id = $1 FOR UPDATE', [held.id]);
    const add = (task: ClaimedTask) => addOutput(db, { taskId: task.id, attempt: 1 }, output(task.id));
    const [stuck, ...others] = [held, ...free].map((task) =>
      add(task).catch((error: { code: string }) => error.code),
    );
    expect(await Promise.all(others)).toEqual(free.map(() => true));
    expect(await stuck).toBe('SERVICE_UNAVAILABLE');
    await holder.query('ROLLBACK');
    holder.release();
    expect(await add(held)).toBe(true);
  });

  test('calls are started once each by who knows all earlier ones, and each gets its own outcome', async () => {
    const claimed = await claimAll(30);
    const started = await Promise.all(
      claimed.map((task, i) =>
        startCall(db, { taskId: task.id, knownCalls: i % 3 === 0 ? 1 : 0 }, call(`call_${task.id}`)),
      ),
    );
    expect(started).toEqual(claimed.map((_, i) => (i % 3 === 0 ? 'forbidden' : 'started')));
    const mine = claimed.filter((_, i) => i % 3 !== 0);
    await Promise.all(
      mine.map((task, i) =>
        finishCall(db, {
          callId: `call_${task.id}`,
          state: i % 2 ? 'succeeded' : 'failed',
          detail: `d${i}`,
          costMicros: BigInt(i),
          upstreamId: `u${i}`,
        }),
      ),
    );
    const { rows } = await database.pool.query(
      'SELECT task_id, state, detail, cost_micros::int AS cost, provider_request_id AS up FROM provider_calls',
    );
    const byTask = new Map(rows.map(({ task_id, ...row }) => [task_id, row]));
    expect(mine.map(({ id }) => byTask.get(id))).toEqual(
      mine.map((_, i) => ({ state: i % 2 ? 'succeeded' : 'failed', detail: `d${i}`, cost: i, up: `u${i}` })),
    );
    expect(rows).toHaveLength(mine.length);
    const sent = (name: string) => statements.filter((one) => one === name).length;
    expect(sent('start-call') + sent('finish-call')).toBeLessThan(10);
  });

  test('a call that was given up takes the outcome that its caller learns later, and no second guess', async () => {
    const claimed = await claimAll(4);
    const ids = claimed.map(({ id }) => `call_${id}`);
    await Promise.all(
      claimed.map((task, i) => startCall(db, { taskId: task.id, knownCalls: 0 }, call(ids[i] ?? ''))),
    );
    const finish = async (state: 'cut' | 'unknown' | 'succeeded' | 'failed', costMicros: bigint) => {
      const end = (callId: string) => finishCall(db, { callId, state, detail: null, costMicros });
      await Promise.all(ids.map(end));
      const { rows } = await database.pool.query(
        'SELECT DISTINCT state, cost_micros::int AS cost FROM provider_calls WHERE id = ANY ($1)',
        [ids],
      );
      return rows;
    };
    expect(await finish('cut', 0n)).toEqual([{ state: 'cut', cost: 0 }]);
    expect(await finish('unknown', 40_000n)).toEqual([{ state: 'cut', cost: 0 }]);
    expect(await finish('succeeded', 39_000n)).toEqual([{ state: 'succeeded', cost: 39_000 }]);
    expect(await finish('failed', 0n)).toEqual([{ state: 'succeeded', cost: 39_000 }]);
  });
});
