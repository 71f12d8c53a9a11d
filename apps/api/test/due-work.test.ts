import fs from 'node:fs';
import path from 'node:path';
import { settleTask } from '@image-gateway/shared/billing';
import { claimDeliveries } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createMetrics } from '@image-gateway/shared/metrics';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  repositoryRoot,
  type TestAccount,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { COUNT_DUE_DELIVERIES, COUNT_DUE_TASKS, countDueWork } from '../src/task/count-due-work.js';
import { watchDueWork } from '../src/task/watch-due-work.js';

type Test = Awaited<ReturnType<typeof createTestDatabase>>;
let database: Test;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.checkInvariants();
  await database.close();
});

test('the metrics are the numbers of the queries that autoscalers run, without any worker, and vanish when the database is away for long', async () => {
  const account = await createTestAccount(database);
  const tasks = [];
  for (let n = 0; n < 4; n += 1) {
    tasks.push(await createTestTask(database.db, account));
  }
  const [first, second] = tasks;
  await database.pool.query(`UPDATE tasks SET due_at = now() - interval '70 seconds' WHERE id = $1`, [
    first?.id,
  ]);
  await database.pool.query(`UPDATE tasks SET due_at = now() + interval '1 hour' WHERE id = $1`, [
    second?.id,
  ]);
  let isAway = false;
  const db = {
    run: ((statement, values) =>
      isAway ? Promise.reject(new Error('away')) : database.db.run(statement, values)) as Test['db']['run'],
  };
  const metrics = createMetrics('api');
  const shown = async (): Promise<string[]> =>
    (await metrics.registry.metrics()).match(/^gateway_(?:due_\w+|oldest_due_seconds)\S* \d+/gm) ?? [];
  const unset = await shown();
  expect(unset.filter((line) => line.startsWith('gateway_due'))).toEqual([]);

  const stop = watchDueWork({ db, metrics, everyMs: 20, staleAfterMs: 200 });
  await eventually(async () =>
    expect(await shown()).toEqual([
      'gateway_due_tasks{service="api"} 3',
      'gateway_due_deliveries{service="api"} 0',
      expect.stringMatching(/^gateway_oldest_due_seconds{service="api"} 7\d$/),
    ]),
  );
  const { rows } = await database.pool.query(
    `SELECT (${COUNT_DUE_TASKS})::int AS tasks, (${COUNT_DUE_DELIVERIES})::int AS deliveries`,
  );
  expect(rows).toEqual([{ tasks: 3, deliveries: 0 }]);

  isAway = true;
  await eventually(async () => expect(await shown()).toEqual([]));
  isAway = false;
  await eventually(async () => expect(await shown()).toHaveLength(3));
  await stop();
});

test('webhooks that wait for receivers or for the others of their account are due, but count for no waiting time', async () => {
  await database.pool.query(`UPDATE tasks SET due_at = now() + interval '1 hour'`);
  const [hanging, other] = [await createTestAccount(database), await createTestAccount(database)];
  const oldest = async (): Promise<number> =>
    Math.round((await countDueWork(database.db)).oldestSeconds / 10) * 10;
  const addDue = async (account: TestAccount, host: string, seconds: number): Promise<string> => {
    const task = await createTestTask(database.db, account, {
      request: { webhook_url: `http://${host}/hook` },
    });
    await settleTask(
      { db: database.db, newId, fileUrl: 'http://gateway.test/files' },
      { taskId: task.id, attempt: 0, reason: 'x' },
    );
    const { rows } = await database.pool.query<{ readonly id: string }>(
      `UPDATE webhook_deliveries SET next_attempt_at = now() - make_interval(secs => $2) WHERE task_id = $1 RETURNING id`,
      [task.id, seconds],
    );
    return rows[0]?.id ?? '';
  };
  expect(await oldest()).toBe(0);
  const called = await addDue(hanging, 'slow.example', 900);
  expect(await oldest()).toBe(900);
  await addDue(hanging, 'slow.example', 800);
  await addDue(hanging, 'elsewhere.example', 700);
  await addDue(other, 'slow.example', 600);
  const free = await addDue(other, 'well.example', 500);
  expect(await claimDeliveries(database.db, [called], 60_000)).toHaveLength(1);
  expect([await oldest(), (await countDueWork(database.db)).deliveries]).toEqual([500, 4]);

  expect(await claimDeliveries(database.db, [free], 60_000)).toHaveLength(1);
  expect(await oldest()).toBe(0);

  // Their worker is gone.
  await database.pool.query(
    `UPDATE webhook_deliveries SET lease_until = now() - interval '1 second' WHERE state = 'sending'`,
  );
  expect(await oldest()).toBe(800);
});

test('the Helm chart scales workers by the same queries', () => {
  const folder = path.join(repositoryRoot(), 'deploy/helm/image-gateway/templates');
  const read = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');
  expect(read('generation-worker.yaml')).toContain(COUNT_DUE_TASKS);
  expect(read('webhook-worker.yaml')).toContain(COUNT_DUE_DELIVERIES);
});
