import { setTimeout as sleep } from 'node:timers/promises';
import {
  claimExpiredTasks,
  claimInTurns,
  createDatabase,
  findAbandonedCalls,
  findOverdueTasks,
  findTasksOutOfTries,
  findTasksPastDeadline,
  takeOrphanChecks,
} from '@image-gateway/shared/db';
import type pg from 'pg';
import { quantile } from '../report/quantile.js';
import type { Bench } from '../stage/bench.js';
import { fillHistory, someTasksOf } from '../stage/fill-history.js';
import { openPool } from '../stage/open-pool.js';
import { startApi } from '../stage/product.js';
import { type SeededAccount, seedAccounts } from '../stage/seed-accounts.js';

const ACCOUNTS = 1_000;
const REQUESTS = 300;
const POLL = 'poll (not remembered)';
/** The tenth part of the times that was least disturbed by what else the machine does. */
const QUIET = 0.1;
/** How late PostgreSQL counts. */
const STATISTICS_MS = 1_500;
type Times = Readonly<Record<string, number>>;

/** Times of reads and sweeps in milliseconds, and blocks they touch, with more and more finished tasks in the tables, and as ratios to the first. */
export async function growth(
  bench: Bench,
): Promise<readonly { readonly tasks: number; readonly times: Times }[]> {
  const sizes = (bench.flag('sizes') ?? '1000,1000000').split(',').map(Number);
  const databaseUrl = await bench.services.createDatabase();
  const pool = openPool(databaseUrl);
  const results: { tasks: number; times: Times }[] = [];
  try {
    const accounts = await seedAccounts(pool, ACCOUNTS);
    let filled = 0;
    for (const tasks of sizes) {
      await fillHistory(pool, accounts, { from: filled + 1, to: tasks });
      filled = tasks;
      const times = { ...(await reads(bench, databaseUrl, pool, accounts)), ...(await sweeps(databaseUrl)) };
      results.push({ tasks, times });
      const { rows } = await pool.query<{ size: string }>(
        'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
      );
      bench.say(`  ${tasks} finished tasks, ${rows[0]?.size}`);
      for (const [name, ms] of Object.entries(times))
        bench.say(
          `    ${name.padEnd(28)} ${ms.toFixed(2)}  (${(ms / (results[0]?.times[name] ?? ms)).toFixed(2)} of the first)`,
        );
    }
  } finally {
    await pool.end();
  }
  return results;
}

async function reads(
  bench: Bench,
  databaseUrl: string,
  pool: pg.Pool,
  accounts: readonly SeededAccount[],
): Promise<Times> {
  const api = await startApi({ ...bench, databaseUrl });
  const [largest, small] = accounts;
  const times: Record<string, number> = {};
  try {
    for (const [who, account] of Object.entries({ largest, small })) {
      if (!account) continue;
      const polled = await someTasks(pool, who === 'largest' ? [account] : accounts.slice(1, REQUESTS));
      const paths: Record<string, (i: number) => string> = {
        // As long a page for both: with a thousand tasks a small account has but one.
        'list page': () => `/v1/tasks?per_page=${who === 'largest' ? 20 : 1}`,
        [POLL]: (i) => `/v1/tasks/${polled[i]?.id}`,
        'usage page': () => `/v1/usage?per_page=${who === 'largest' ? 20 : 1}`,
        'usage summary': () => '/v1/usage/summary',
        'summary of a month': () =>
          `/v1/usage/summary?from=${new Date(Date.now() - 30 * 86_400_000).toISOString()}`,
      };
      for (const [what, path] of Object.entries(paths)) {
        const took: number[] = [];
        const blocks = await blocksOf(pool);
        // Each task but once: the second answer would come from memory.
        const count = what === POLL ? polled.length : REQUESTS;
        for (let i = 0; i < count; i++) {
          const from = performance.now();
          const key = what === POLL ? polled[i]?.apiKey : account.apiKey;
          const answer = await fetch(api.url + path(i), { headers: { authorization: `Bearer ${key}` } });
          await answer.arrayBuffer();
          if (answer.status !== 200) throw new Error(`${path(i)} answered ${answer.status}`);
          took.push(performance.now() - from);
        }
        times[`${what}, ${who}`] = quantile(took.slice(20), QUIET);
        times[`${what}, ${who}, blocks`] = ((await blocksOf(pool)) - blocks) / count;
      }
    }
  } finally {
    await api.stop();
  }
  return times;
}

/** Up to so many tasks of an account, or one of each, with the keys that may see them. */
async function someTasks(
  pool: pg.Pool,
  accounts: readonly SeededAccount[],
): Promise<readonly { readonly id: string; readonly apiKey: string }[]> {
  const found: { id: string; apiKey: string }[] = [];
  const ofEach = Math.max(1, Math.floor(REQUESTS / accounts.length));
  for (const { id: accountId, apiKey } of accounts)
    for (const id of await someTasksOf(pool, accountId, ofEach)) found.push({ id, apiKey });
  return found;
}

/** Blocks of the database that were touched so far: what a read costs whatever else the machine does. */
async function blocksOf(pool: pg.Pool): Promise<number> {
  await sleep(STATISTICS_MS);
  const { rows } = await pool.query<{ blocks: number }>(
    'SELECT (blks_hit + blks_read)::float8 AS blocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.blocks ?? 0;
}

async function sweeps(url: string): Promise<Times> {
  const db = createDatabase({ url, applicationName: 'bench' });
  const terms = { workerId: 'bench', leaseMs: 30_000, maxTries: 3 };
  const turns = { limit: 32, overdueMs: 0, after: '', barred: [], perAccount: 32 };
  const statements: Record<string, () => Promise<unknown>> = {
    'sweep: claim in turns': () => claimInTurns(db, terms, turns),
    'sweep: expired leases': () => claimExpiredTasks(db, terms, { limit: 32 }),
    'sweep: overdue': () => findOverdueTasks(db, { overdueMs: 5_000, limit: 500 }),
    'sweep: past deadline': () => findTasksPastDeadline(db, { limit: 100 }),
    'sweep: out of tries': () => findTasksOutOfTries(db, { limit: 100, maxTries: 3 }),
    'sweep: abandoned calls': () => findAbandonedCalls(db, { limit: 50 }),
    'sweep: orphans': () => takeOrphanChecks(db, { limit: 50 }),
  };
  const times: Record<string, number> = {};
  try {
    for (const [name, run] of Object.entries(statements)) {
      const took: number[] = [];
      for (let i = 0; i < 60; i++) {
        const from = performance.now();
        await run();
        took.push(performance.now() - from);
      }
      times[name] = quantile(took.slice(10), QUIET);
    }
  } finally {
    await db.close();
  }
  return times;
}
