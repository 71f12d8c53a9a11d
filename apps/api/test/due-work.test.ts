import fs from 'node:fs';
import path from 'node:path';
import { createMetrics } from '@image-gateway/shared/metrics';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  repositoryRoot,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { watchDueWork } from '../src/background/watch-due-work.js';
import { COUNT_DUE_DELIVERIES, COUNT_DUE_TASKS } from '../src/operations/system/count-due-work.js';

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

test('the Helm chart scales workers by the same queries', () => {
  const folder = path.join(repositoryRoot(), 'deploy/helm/image-gateway/templates');
  const read = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');
  expect(read('generation-worker.yaml')).toContain(COUNT_DUE_TASKS);
  expect(read('webhook-worker.yaml')).toContain(COUNT_DUE_DELIVERIES);
});
