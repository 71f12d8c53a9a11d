import { eraseExpiredTasks } from '@image-gateway/shared/db';
import { createTestTask, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './cli/support/run-command.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

const DAY_SECONDS = 86_400;
const IMAGE = Buffer.from('an image');

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  // The counters of days and hours know when the tasks really were.
  for (const [columns, ids, seconds] of moves.reverse()) {
    await move(columns, ids, -seconds);
  }
  await api.test.checkInvariants();
  await api.stop();
});

const run = <T>(...args: string[]) => runCommand<T>({ db: api.test.db }, ...args);
const keepFor = (account: TestAccount, days: number) =>
  run('account', 'limits', account.id, '--retention-days', String(days));
const newAccount = async (days: number): Promise<TestAccount> => {
  const account = await api.account({ balanceMicros: 100_000_000n });
  await keepFor(account, days);
  return account;
};
const TIMES = ['created_at', 'started_at', 'completed_at'];
const moves: [columns: readonly string[], ids: readonly string[], seconds: number][] = [];
const move = async (columns: readonly string[], ids: readonly string[], seconds: number): Promise<void> => {
  const client = await api.test.pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    const values = columns.map((column) => `${column} = ${column} - $2 * interval '1 second'`);
    await client.query(`UPDATE tasks SET ${values} WHERE id = ANY($1)`, [ids, seconds]);
  } finally {
    client.release(true);
  }
};
/** Moves tasks into the past. */
const age = async (ids: readonly string[], seconds: number, columns = TIMES): Promise<void> => {
  moves.push([columns, ids, seconds]);
  await move(columns, ids, seconds);
};
const read = (id: string, as: TestAccount, query = '') => api.call(`/v1/tasks/${id}${query}`, { as });
const readFull = async (id: string, as: TestAccount): Promise<Record<string, unknown>> =>
  JSON.parse((await read(id, as, '?view=full')).text).data;
const file = (key: string | undefined) => api.call(`/files/${key}`, { method: 'HEAD' });
const findErased = async (account: TestAccount): Promise<readonly string[]> =>
  (
    await api.test.pool.query<{ id: string }>(
      'SELECT id FROM tasks WHERE account_id = $1 AND erased_at IS NOT NULL ORDER BY created_at, id',
      [account.id],
    )
  ).rows.map(({ id }) => id);
/** Erases expired tasks and returns the numbers of the statements that erased some. */
const erase = async (days: number | null = null): Promise<readonly number[]> => {
  const steps: number[] = [];
  for await (const { tasks } of eraseExpiredTasks(api.test.db, {
    days,
    signal: new AbortController().signal,
  })) {
    steps.push(...(tasks > 0 ? [tasks] : []));
  }
  return steps;
};
/** Adds copies of a finished task, which `removeCopies` removes again so that the books agree. */
const addCopies = async (id: string, count: number): Promise<void> => {
  await api.test.pool.query(
    `SET session_replication_role = replica;
     INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id', t.id || 'copy' || n, 'idem_key', null))).*
       FROM tasks t, generate_series(1, ${count}) n WHERE t.id = '${id}';
     SET session_replication_role = DEFAULT`,
  );
};
const removeCopies = async (): Promise<void> => {
  await api.test.pool.query(
    `SET session_replication_role = replica;
     DELETE FROM orphan_checks WHERE task_id LIKE '%copy%'; DELETE FROM tasks WHERE id LIKE '%copy%';
     SET session_replication_role = DEFAULT`,
  );
};

describe('retention of an account', () => {
  test('an image may be cached as long as its retention lasts, and is 404 from then on', async () => {
    const account = await newAccount(2);
    const { id, outputKeys, completedAt } = await finishTask(api, account);
    await age([id], DAY_SECONDS);
    const maxAge = /^public, max-age=(\d+), immutable$/.exec(
      (await file(outputKeys[0])).headers.get('cache-control') ?? '',
    );
    expect(Number(maxAge?.[1])).toBeGreaterThan(DAY_SECONDS - 600);
    expect(Number(maxAge?.[1])).toBeLessThanOrEqual(DAY_SECONDS);
    expect(Date.parse(String((await readFull(id, account)).expires_at))).toBe(
      Number(completedAt) + DAY_SECONDS * 1_000,
    );
    const before = (await read(id, account)).text;
    await age([id], DAY_SECONDS);
    expect((await file(outputKeys[0])).status).toBe(404);
    expect((await read(id, account)).text.replaceAll(/"[^"]*_at":"[^"]*"/g, '')).toBe(
      before.replaceAll(/"[^"]*_at":"[^"]*"/g, ''),
    );
  });

  test('a task of an account without a retention has no end, and its image is cached for a year', async () => {
    const account = await api.account();
    const { id, outputKeys } = await finishTask(api, account);
    await age([id], 1_000 * DAY_SECONDS);
    expect((await file(outputKeys[0])).headers.get('cache-control')).toBe(
      'public, max-age=31536000, immutable',
    );
    expect(await readFull(id, account)).not.toHaveProperty('expires_at');
    await erase();
    expect(await findErased(account)).toEqual([]);
  });

  test('gateway retention run erases what is over, shows it first with --dry-run, and keeps the task, its cost and its place in lists', async () => {
    const [account, patient, keeper] = [await newAccount(1), await newAccount(30), await api.account()];
    const request = { prompt: 'a-secret-heron', image_urls: ['https://example.com/a-secret-heron.png'] };
    const old = await finishTask(api, account, { request, images: [IMAGE] });
    const young = await finishTask(api, account, { request });
    const pending = await createTestTask(api.test.db, account, { request });
    const others = [await finishTask(api, patient), await finishTask(api, keeper)];
    await age([old.id, ...others.map(({ id }) => id)], 2 * DAY_SECONDS);
    const texts = async () => [
      (await read(old.id, account)).text,
      (await api.call('/v1/tasks?per_page=100', { as: account })).text,
      (await api.call('/v1/usage/summary', { as: account })).text,
      (await api.call('/v1/account', { as: account })).text,
    ];
    const before = await texts();

    const counts = { tasks: 1, images: 1, bytes: IMAGE.length };
    expect((await run('retention', 'run', '--dry-run')).value).toEqual({
      dry_run: true,
      ...counts,
      accounts: [{ id: account.id, retention_days: 1, ...counts }],
    });
    expect(await findErased(account)).toEqual([]);
    expect((await run('retention', 'run')).value).toEqual({ dry_run: false, tasks: 1 });
    expect((await run('retention', 'run')).value).toEqual({ dry_run: false, tasks: 0 });

    expect(await findErased(account)).toEqual([old.id]);
    const { rows } = await api.test.pool.query(
      `SELECT t.prompt, t.image_urls, c.task_id FROM tasks t JOIN orphan_checks c ON c.task_id = t.id WHERE t.id = $1`,
      [old.id],
    );
    expect(rows).toEqual([{ prompt: '', image_urls: [], task_id: old.id }]);
    expect(await texts()).toEqual(before);
    expect((await file(old.outputKeys[0])).status).toBe(404);
    expect((await file(young.outputKeys[0])).status).toBe(200);
    expect((await readFull(pending.id, account)).prompt).toBe('a-secret-heron');
    for (const [index, { outputKeys }] of others.entries()) {
      expect([index, (await file(outputKeys[0])).status]).toEqual([index, 200]);
    }
    await api.call(`/v1/tasks/${pending.id}/cancel`, { as: account, method: 'POST' });
  });

  test('a longer retention of one account beats the shorter one of the setting, and an empty value removes it', async () => {
    const account = await newAccount(10);
    const { id } = await finishTask(api, account);
    await age([id], 3 * DAY_SECONDS);
    await erase();
    expect(await erase(5_000)).toEqual([]);
    expect((await run('account', 'limits', account.id, '--retention-days=')).value).toMatchObject({
      retention_days: null,
    });
    expect(await erase(5_000)).toEqual([]);
    await keepFor(account, 3);
    expect(await erase(5_000)).toEqual([1]);
  });
});

describe('erasing many expired tasks', () => {
  test('erasing goes by turns of accounts, in order of creation, and stops before a task whose time is not over', async () => {
    const [many, few] = [await newAccount(1), await newAccount(1)];
    const first = await finishTask(api, many);
    await age([first.id], 3 * DAY_SECONDS);
    await addCopies(first.id, 249);
    const lasting = await finishTask(api, many);
    const behind = await finishTask(api, many);
    const other = await finishTask(api, few);
    await age([lasting.id], 2 * DAY_SECONDS, ['created_at', 'started_at']);
    await age([behind.id, other.id], 2 * DAY_SECONDS);
    const steps = await erase();
    // The accounts come in the order of their ids.
    expect(steps).toEqual(many.id < few.id ? [100, 1, 100, 50] : [1, 100, 100, 50]);
    expect(await findErased(many)).not.toContain(behind.id);
    await age([lasting.id], 2 * DAY_SECONDS, ['completed_at']);
    expect(await erase()).toEqual([2]);
    await removeCopies();
  });

  test('two processes that erase at a time erase each task once', async () => {
    const account = await newAccount(1);
    const first = await finishTask(api, account);
    await age([first.id], 2 * DAY_SECONDS);
    await addCopies(first.id, 299);
    const runs = await Promise.all([erase(), erase(), erase()]);
    expect(runs.flat().reduce((sum, tasks) => sum + tasks, 0)).toBe(300);
    expect(await findErased(account)).toHaveLength(300);
    await removeCopies();
  });

  test('erasing waits while the workers are busy removing images, so that customers who delete tasks do not wait behind it', async () => {
    const account = await newAccount(1);
    const first = await finishTask(api, account);
    await age([first.id], 2 * DAY_SECONDS);
    await addCopies(first.id, 699);
    await api.test.pool.query('DELETE FROM orphan_checks');
    let erased = 0;
    let waits = 0;
    const signal = new AbortController().signal;
    for await (const { tasks, isWaiting } of eraseExpiredTasks(api.test.db, { days: null, signal })) {
      erased += tasks;
      if (isWaiting) {
        waits += 1;
        expect(erased % 500).toBe(0);
        await api.test.pool.query('DELETE FROM orphan_checks');
      }
    }
    expect([erased, waits]).toEqual([700, 1]);
    await removeCopies();
  });
});
