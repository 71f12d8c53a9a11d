import { type Database, deleteAbandonedCall, takeSweepTurn } from '@image-gateway/shared/db';
import { createTestAccount, createTestTask, eventually, type TestAccount } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type StartParts, type World } from './support/world.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await world.test.checkInvariants('rest');
  await world.close();
});

/** Submits tasks and lets their deadline pass `agoMs` ago. */
async function submitLate(account: TestAccount, count: number, agoMs: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Array.from({ length: Math.min(50, count - ids.length) }, () =>
      createTestTask(world.test.db, account),
    );
    ids.push(...(await Promise.all(some)).map(({ id }) => id));
  }
  await world.sql(
    `UPDATE tasks SET deadline_at = now() - $2::float8 * interval '1 ms' WHERE account_id = $1 AND status = 'pending'`,
    [account.id, agoMs],
  );
  return ids;
}
const startIdle = (parts: StartParts = {}) => world.start(routerOver(scriptedProvider(deliver)), parts);
const countPending = async ({ id }: TestAccount) =>
  (
    await world.sql(`SELECT count(*)::int AS n FROM tasks WHERE account_id = $1 AND status = 'pending'`, [id])
  )[0]?.n;
/** Gives each task a job upstream, as a worker that parked it would have. */
const addJobs = () =>
  world.sql(
    `WITH called AS (UPDATE tasks SET call_count = 1 RETURNING id)
     INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, provider_request_id, cost_micros)
     SELECT 'call_' || id, id, 1, 'fake', 'fake-1', 1, '{0}', 'submitted', 'job-' || id, 1000 FROM called`,
  );
const callStates = () => world.sql('SELECT state, count(*)::int AS n FROM provider_calls GROUP BY state');

describe('jobs of tasks that have ended', () => {
  test('jobs of tasks that have ended are stopped upstream once each, several at a time, by two workers', async () => {
    await submitLate(world.account, 40, 0);
    await addJobs();
    const asked: string[] = [];
    let underWay = 0;
    let most = 0;
    const cancel = async ({ id }: { readonly id: string }) => {
      asked.push(id);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 300));
      underWay -= 1;
      return true;
    };
    const router = routerOver(scriptedProvider(deliver, { asynchronous: true, cancel }));
    world.start(router);
    world.start(router);
    await eventually(async () => expect(await callStates()).toEqual([{ state: 'cut', n: 40 }]), {
      timeoutMs: 20_000,
    });
    expect([asked.length, new Set(asked).size]).toEqual([40, 40]);
    expect(most).toBeGreaterThan(4);
    await eventually(async () => expect(await world.sql('SELECT * FROM abandoned_calls')).toEqual([]));
  });

  test('jobs of tasks that have ended are no work for a look while their tasks are open', async () => {
    await world.submit();
    await addJobs();
    expect(await world.sql('SELECT * FROM abandoned_calls')).toEqual([]);
    await world.sql(`UPDATE tasks SET deadline_at = now()`);
    startIdle();
    await eventually(async () => expect(await callStates()).toEqual([{ state: 'unknown', n: 1 }]));
  });

  test('jobs of tasks that have ended are stopped although their id arrives when the call was given up', async () => {
    const [id = ''] = await submitLate(world.account, 1, 0);
    await addJobs();
    await world.sql(`UPDATE provider_calls SET state = 'started', provider_request_id = NULL`);
    const stopped: string[] = [];
    const cancel = async (job: { readonly id: string }) => {
      stopped.push(job.id);
      return true;
    };
    world.start(routerOver(scriptedProvider(deliver, { asynchronous: true, cancel })));
    await eventually(async () => expect(await callStates()).toEqual([{ state: 'unknown', n: 1 }]));
    // A sweep that still ends its turn would leave the id to the next turn, half a minute later.
    await eventually(async () => expect(await world.sql('SELECT * FROM abandoned_calls')).toEqual([]));
    await world.sql(
      `UPDATE provider_calls SET state = 'submitted', provider_request_id = 'late' WHERE task_id = $1`,
      [id],
    );
    await eventually(async () => expect(await callStates()).toEqual([{ state: 'cut', n: 1 }]));
    expect(stopped).toEqual(['late']);
  });

  test('jobs of tasks that have ended are not forgotten when their id arrives at that moment', async () => {
    const { pool, db } = world.test;
    await submitLate(world.account, 1, 0);
    await addJobs();
    await world.sql(`UPDATE provider_calls SET state = 'started', provider_request_id = NULL`);
    startIdle();
    await eventually(async () => expect(await callStates()).not.toEqual([{ state: 'started', n: 1 }]));
    await eventually(async () => expect(await world.sql('SELECT * FROM abandoned_calls')).toEqual([]));
    await world.sql(
      `INSERT INTO abandoned_calls (call_id, provider, due_at) SELECT id, provider, now() + interval '1 minute' FROM provider_calls`,
    );
    const [{ callId } = { callId: '' }] = (await world.sql(
      'SELECT call_id AS "callId" FROM abandoned_calls',
    )) as { callId: string }[];
    const caller = await pool.connect();
    try {
      await caller.query(
        `BEGIN; UPDATE provider_calls SET state = 'submitted', provider_request_id = 'late'`,
      );
      const forgotten = deleteAbandonedCall(db, callId);
      await eventually(async () =>
        expect(
          await world.sql(
            `SELECT 1 AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          ),
        ).not.toEqual([]),
      );
      await caller.query('COMMIT');
      await forgotten;
    } finally {
      caller.release();
    }
    await eventually(async () => expect(await callStates()).not.toEqual([{ state: 'submitted', n: 1 }]));
  });
});

describe('tasks that cannot be ended', () => {
  const watchOthers = async (
    account: TestAccount,
    other: TestAccount,
    worker: ReturnType<typeof startIdle>,
  ) => {
    await eventually(async () => expect(await countPending(other)).toBe(0), { timeoutMs: 15_000 });
    expect(await countPending(account)).toBe(250);
    await eventually(
      async () => expect((await worker.metrics.tasksSetAside.get()).values[0]?.value).toBeGreaterThan(0),
      { timeoutMs: 15_000 },
    );
    const [row] = await world.sql(
      `SELECT count(*)::int AS n, max(settle_failures) AS failures, bool_and(sweep_after > now()) AS later, min(settle_error) AS error
         FROM tasks WHERE settle_failures > 0`,
    );
    expect(row).toMatchObject({ failures: 1, later: true });
    return row?.error;
  };
  const tryAgain = () =>
    world.sql(
      `UPDATE tasks SET sweep_after = now(), settle_failed_at = now() - interval '1 min' WHERE status = 'pending'`,
    );

  test('tasks that cannot be ended because their account is locked are set aside, and the deadlines of others are kept', async () => {
    const other = await createTestAccount(world.test, { balanceMicros: 1_000_000_000n });
    await submitLate(world.account, 250, 60_000);
    await submitLate(other, 3, 0);
    const holder = await world.test.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [world.account.id]);
    const worker = startIdle();
    expect(await watchOthers(world.account, other, worker)).toContain('lock timeout');
    await holder.query('ROLLBACK');
    holder.release();
    await tryAgain();
    await eventually(async () => expect(await countPending(world.account)).toBe(0));
  });

  test('tasks that cannot be ended because a counter of their account is wrong are set aside, and the deadlines of others are kept', async () => {
    const other = await createTestAccount(world.test, { balanceMicros: 1_000_000_000n });
    await submitLate(world.account, 250, 60_000);
    await submitLate(other, 3, 0);
    const add = (micros: number) =>
      world.sql('UPDATE accounts SET held_micros = held_micros + $2 WHERE id = $1', [
        world.account.id,
        micros,
      ]);
    const held = 250 * 10_000;
    await add(1 - held);
    const worker = startIdle();
    expect(await watchOthers(world.account, other, worker)).toContain('accounts');
    await add(held - 1);
    await tryAgain();
    await eventually(async () => expect(await countPending(world.account)).toBe(0));
    await eventually(async () => expect((await worker.metrics.tasksSetAside.get()).values[0]?.value).toBe(0));
  });
});

test('overdue tasks are ended many at a time, in far fewer statements than there are tasks', async () => {
  await submitLate(world.account, 400, 0);
  let statements = 0;
  startIdle({
    db: (db: Database): Database => ({
      ...db,
      run: (statement, values) => {
        if (statement.name.startsWith('claim-tasks-past')) {
          statements += 1;
        }
        return db.run(statement, values);
      },
    }),
  });
  await eventually(async () => expect(await countPending(world.account)).toBe(0));
  expect(statements).toBeLessThan(8);
});

test('what the end of a task noted for the hours of operators is added to them by the sweep of a worker', async () => {
  startIdle();
  expect(await world.ended(await world.submit())).toMatchObject({ status: 'completed' });
  await eventually(async () => {
    expect(await world.sql('SELECT id FROM hour_journal')).toEqual([]);
  });
  expect(await world.sql('SELECT sum(completed)::int AS tasks FROM task_hours')).toEqual([{ tasks: 1 }]);
  expect(await world.sql('SELECT sum(calls)::int AS calls FROM provider_call_hours')).toEqual([{ calls: 1 }]);
});

test('the turn of a sweep is taken by one worker at a time, and again when it is due', async () => {
  const take = () => takeSweepTurn(world.test.db, { name: 'x', everyMs: 60_000 });
  expect((await Promise.all([take(), take(), take()])).filter(Boolean)).toHaveLength(1);
  await world.sql('UPDATE sweep_turns SET due_at = now()');
  expect((await Promise.all([take(), take(), take()])).filter(Boolean)).toHaveLength(1);
});
