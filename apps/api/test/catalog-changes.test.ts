import { setTimeout as sleep } from 'node:timers/promises';
import { applyCatalog, eventually, killPrograms, startProgram } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

const CHANGES = 20;

let first: TestApi;
let second: TestApi;
beforeAll(async () => {
  first = await startApi();
  await first.store.ensureBucket();
  second = await startApi({ DATABASE_URL: first.test.url });
});
afterAll(async () => {
  killPrograms();
  await second.stop();
  await first.stop();
});

const price = (dollars: string): string =>
  `models: { nanobanana: { price: { 1k: "${dollars}", 2k: "${dollars}", 4k: "${dollars}" } } }`;

test('20 price changes under the load of two API processes and a worker: each task costs the price of a version active at its submit', async () => {
  startProgram('apps/generation-worker', ['src/main.ts'], {
    ...first.workerEnv,
    PROVIDERS: 'sandbox',
    SWEEP_MS: '500',
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
  });
  const account = await first.account({ balanceMicros: 1_000_000_000n });
  const accepted: string[] = [];
  const other: number[] = [];
  let isChanging = true;
  const submit = async (api: TestApi): Promise<void> => {
    while (isChanging) {
      const body = { model: 'nanobanana', prompt: 'sandbox:fixed' };
      const { status, json } = await api.call('/v1/generate', { as: account, body });
      if (status === 202) {
        accepted.push(json.data.id);
      } else {
        other.push(status);
      }
      await sleep(100);
    }
  };
  const load = Promise.all([first, second, first, second].map(submit));
  for (let change = 1; change <= CHANGES; change += 1) {
    await applyCatalog(first.test, price(`0.${String(change + 10)}`));
    await sleep(250);
  }
  isChanging = false;
  await load;
  expect(other).toEqual([]);
  await applyCatalog(first.test, price('9'));
  await eventually(
    async () => {
      const { rows: open } = await first.test.pool.query("SELECT 1 FROM tasks WHERE status <> 'completed'");
      expect(open).toHaveLength(0);
    },
    { timeoutMs: 60_000 },
  );

  const { rows } = await first.test.pool.query<{ id: string; prices: number }>(
    `SELECT tasks.id, v.id AS version FROM tasks
       LEFT JOIN catalog_versions AS v ON v.id = tasks.catalog_version AND v.created_at <= tasks.created_at
            AND NOT EXISTS (SELECT 1 FROM catalog_versions AS next
                             WHERE next.id > v.id AND next.created_at < tasks.created_at - interval '5 s')
      WHERE tasks.cost_micros IS DISTINCT FROM
            ((v.document #>> '{models,nanobanana,price,1k}')::numeric * 1000000)::int8`,
  );
  expect(rows).toEqual([]);
  const { rows: seen } = await first.test.pool.query<{ prices: number }>(
    'SELECT count(DISTINCT cost_micros)::int AS prices FROM tasks',
  );
  expect(accepted.length).toBeGreaterThan(CHANGES);
  expect(seen[0]?.prices).toBeGreaterThan(2);
  await first.test.checkInvariants('rest');
  const { rows: audit } = await first.test.pool.query(
    "SELECT 1 FROM audit_entries WHERE subject LIKE 'catalog %'",
  );
  expect(audit).toHaveLength(CHANGES + 1);
}, 120_000);
