import { createHash } from 'node:crypto';
import { checkDocument } from '@image-gateway/shared/catalog/document';
import type pg from 'pg';
import { type Contestant, compete } from '../load/compete.js';
import { getRequest } from '../load/requests.js';
import { submissions } from '../load/submissions.js';
import { printRounds } from '../report/print-rounds.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { startApi } from '../stage/product.js';
import { fillHistory, findSomeTasks } from '../stage/rows/fill-history.js';
import { seedAccounts } from '../stage/rows/seed-accounts.js';

const ACCOUNTS = 50;
const TASKS = 5_000;
const TASKS_OF_EACH = 20;
const MODELS = 200;
const VERSIONS = 20;

/** Submits and polls a second with the built-in catalog, and after many versions of one with many models. */
export async function catalog(bench: Bench): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  const submits: Contestant[] = [];
  const polls: Contestant[] = [];
  try {
    for (const name of ['built-in', 'large'] as const) {
      const databaseUrl = await bench.services.createDatabase();
      const pool = openPool(databaseUrl);
      stops.unshift(() => pool.end());
      const accounts = await seedAccounts(pool, ACCOUNTS);
      await fillHistory(pool, accounts, TASKS);
      if (name === 'large') {
        await applyVersions(pool);
      }
      const api = await startApi({ ...bench, databaseUrl });
      stops.unshift(() => api.stop());
      const product = { urls: [api.url], pids: { process: api.pid } };
      const reads: string[] = [];
      for (const { id, apiKey } of accounts) {
        for (const task of await findSomeTasks(pool, id, TASKS_OF_EACH)) {
          reads.push(getRequest(`/v1/tasks/${task}`, { Authorization: `Bearer ${apiKey}` }));
        }
      }
      submits.push({ name: `submit, ${name}`, ...product, requests: submissions(accounts), status: 202 });
      polls.push({ name: `poll, ${name}`, ...product, requests: reads, status: 200 });
    }
    for (const contestants of [submits, polls]) {
      printRounds(bench, 'catalog', await compete(bench, contestants));
    }
  } finally {
    for (const stop of stops) {
      await stop();
    }
  }
}

/** Adds versions that each change the price of every model but the one that is submitted. */
async function applyVersions(pool: pg.Pool): Promise<void> {
  for (let version = 1; version <= VERSIONS; version++) {
    const models = Array.from({ length: MODELS }, (_, index) => [
      `model-${index}`,
      {
        price: { '1k': `0.${100 + version}`, '2k': `0.${200 + version}` },
        routes: [{ provider: 'openai', model: `upstream-${index}`, cost: { '1k': '0.01', '2k': '0.02' } }],
      },
    ]);
    const source = JSON.stringify({ models: Object.fromEntries(models) });
    const checked = checkDocument(source);
    if ('faults' in checked) {
      throw new Error(JSON.stringify(checked.faults));
    }
    const digest = createHash('sha256').update(source).digest('hex');
    await pool.query(
      `INSERT INTO catalog_versions (id, source, document, digest, origin)
       SELECT max(id) + 1, $1, $2, $3, 'cli' FROM catalog_versions`,
      [source, JSON.stringify(checked.document), digest],
    );
  }
}
