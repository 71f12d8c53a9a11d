import { setTimeout as sleep } from 'node:timers/promises';
import { applyCatalog, eventually, killPrograms, startProgram } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMarginSum } from '../src/catalog/page/sum-margins.js';
import { startApi, type TestApi } from './support/start-api.js';

const CHANGES = 30;
const QUALITIES = ['low', 'medium', 'high'] as const;

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

/** Document that sells a model by quality, each quality at a price that no other version and quality has. */
const buildDocument = (change: number): string => {
  const at = (base: number): string => (base + change / 1_000).toFixed(4);
  const price = { low: at(0.1), medium: at(0.2), high: at(0.3) };
  const cost = { low: '0.001', medium: '0.002', high: '0.003' };
  const route = {
    provider: 'sandbox',
    model: 'sandbox',
    cost: { '1k': cost },
    accepts: { quality: QUALITIES },
  };
  return JSON.stringify({ models: { graded: { price: { '1k': price }, routes: [route] } } });
};

test('30 price changes by quality under the load of two API processes and a worker: each task costs the price of a version active at its submit, for its quality', async () => {
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
  await applyCatalog(first.test, buildDocument(0));
  await eventually(async () => {
    for (const api of [first, second]) {
      const { text } = await api.call('/v1/models', { as: account });
      expect(text).toContain('"graded"');
    }
  });
  const submit = async (api: TestApi): Promise<void> => {
    for (let n = 0; isChanging; n += 1) {
      const quality = [...QUALITIES, undefined][n % 4];
      const body = { model: 'graded', prompt: 'sandbox:fixed', quality };
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
    await applyCatalog(first.test, buildDocument(change));
    await sleep(250);
  }
  isChanging = false;
  await load;
  // A database that gets no processor for seconds refuses submits, whatever the catalog says.
  expect(other.filter((status) => status < 500)).toEqual([]);
  await applyCatalog(first.test, buildDocument(9_000));
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
            ((v.document #>> ARRAY['models', 'graded', 'price', '1k', tasks.quality])::numeric * 1000000)::int8`,
  );
  expect(rows).toEqual([]);
  const { rows: ledger } = await first.test.pool.query<{ quality: string; revenue: string; cost: string }>(
    `SELECT quality, sum(captured) / 1000000.0 AS revenue, sum(spent) / 1000000.0 AS cost
       FROM tasks CROSS JOIN LATERAL (
            SELECT sum(amount_micros) AS captured FROM ledger_transfers WHERE task_id = tasks.id AND kind = 'capture') AS transfers
            CROSS JOIN LATERAL (SELECT sum(cost_micros) AS spent FROM provider_calls WHERE task_id = tasks.id) AS calls
      GROUP BY quality`,
  );
  const spent = QUALITIES.map((quality) => {
    const row = ledger.find((one) => one.quality === quality);
    return [quality, Number(row?.revenue), Number(row?.cost)];
  });
  // A sweep adds ended calls to the hours that the page reads.
  await eventually(async () => {
    const margins = await createMarginSum(first.test.db, { days: 30 })();
    const qualities = margins.find(({ model }) => model === 'graded')?.qualities ?? [];
    const shown = qualities.map(({ quality, revenue, cost }) => [
      quality,
      Number(revenue.slice(1)),
      Number(cost.slice(1)),
    ]);
    expect(shown).toEqual(spent);
  });
  const { rows: seen } = await first.test.pool.query<{ prices: number }>(
    'SELECT count(DISTINCT cost_micros)::int AS prices FROM tasks',
  );
  expect(accepted.length).toBeGreaterThan(CHANGES);
  // Versions are followed within five seconds, and the qualities are three.
  expect(seen[0]?.prices).toBeGreaterThan(6);
  await first.test.checkInvariants('rest');
  const { rows: audit } = await first.test.pool.query(
    "SELECT 1 FROM audit_entries WHERE subject LIKE 'catalog %'",
  );
  expect(audit).toHaveLength(CHANGES + 2);
});
