import { setTimeout as sleep } from 'node:timers/promises';
import {
  claimAbandonedCalls,
  claimExpiredTasks,
  claimFewInTurns,
  claimInTurns,
  claimTasksOutOfTries,
  claimTasksPastDeadline,
  createDatabase,
  type Database,
  findOverdueTasks,
  takeOrphanChecks,
} from '@image-gateway/shared/db';
import type pg from 'pg';
import { quantile } from '../report/quantile.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { startApi } from '../stage/product.js';
import { fillHistory, findSomeTasks } from '../stage/rows/fill-history.js';
import { type SeededAccount, seedAccounts } from '../stage/rows/seed-accounts.js';
import { signUpOperator } from '../stage/sign-up.js';
import type { Program } from '../stage/start-program.js';
import { accountPages } from './account-pages.js';

const ACCOUNTS = 1_000;
const REQUESTS = 300;
const OPERATOR_REQUESTS = 120;
const POLL = 'poll (not remembered)';
const WHO = ['largest', 'small'] as const;
/** The tenth part of the times that was least disturbed by what else the machine does. */
const QUIET = 0.1;
const FIRST_ONES = 20;
/** How late PostgreSQL counts. */
const STATISTICS_MS = 1_500;
const DAY_MS = 86_400_000;
type Times = Record<string, number>;

/** A database with so many finished tasks. */
interface History {
  readonly tasks: number;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly accounts: readonly SeededAccount[];
  readonly times: Times;
}

/**
 * Measures reads and sweeps in milliseconds and in blocks, with few and with many finished tasks in the tables. Prints ratios
 * to the first. Requests go to all databases in turn, so that whatever else the machine does meets all of them.
 */
export async function growth(
  bench: Bench,
): Promise<readonly { readonly tasks: number; readonly times: Times }[]> {
  if (bench.flag('only') === 'account') {
    await accountPages(bench);
    return [];
  }
  const sizes = (bench.flag('sizes') ?? '1000,1000000').split(',').map(Number);
  const histories: History[] = [];
  try {
    for (const tasks of sizes) {
      const databaseUrl = await bench.services.createDatabase();
      const pool = openPool(databaseUrl);
      const accounts = await seedAccounts(pool, ACCOUNTS);
      histories.push({ tasks, databaseUrl, pool, accounts, times: {} });
      const from = performance.now();
      await fillHistory(pool, accounts, tasks);
      bench.say(`  ${tasks} finished tasks written in ${Math.round((performance.now() - from) / 1_000)} s`);
    }
    await reads(bench, histories);
    await operatorReads(bench, histories);
    await sweeps(histories);
    for (const { tasks, pool, times } of histories) {
      const { rows } = await pool.query<{ size: string }>(
        'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
      );
      bench.say(`  ${tasks} finished tasks, ${rows[0]?.size}`);
      for (const [name, ms] of Object.entries(times)) {
        bench.say(
          `    ${name.padEnd(28)} ${ms.toFixed(2)}  (${(ms / (histories[0]?.times[name] ?? ms)).toFixed(2)} of the first)`,
        );
      }
    }
  } finally {
    for (const { pool } of histories) {
      await pool.end();
    }
  }
  return histories.map(({ tasks, times }) => ({ tasks, times }));
}

async function reads(bench: Bench, histories: readonly History[]): Promise<void> {
  const apis: Program[] = [];
  try {
    for (const { databaseUrl } of histories) {
      apis.push(await startApi({ ...bench, databaseUrl }));
    }
    for (const who of WHO) {
      const polled = await Promise.all(histories.map((history) => polledBy(history, who)));
      // As long a page for both: with a thousand tasks a small account has but one.
      const page = who === 'largest' ? 20 : 1;
      // Days that are not whole are summed up from their records: half a day of them.
      const noon = new Date(Math.floor(Date.now() / DAY_MS - 30) * DAY_MS + DAY_MS / 2).toISOString();
      const paths: Record<string, (history: number, i: number) => string> = {
        'list page': () => `/v1/tasks?per_page=${page}`,
        'far list page': (history) => `/v1/tasks?per_page=${page}&page=${farPage(histories[history], page)}`,
        'far page of a status': (history) =>
          `/v1/tasks?status=completed&per_page=${page}&page=${farPage(histories[history], page)}`,
        'list page of 30 days': () => `/v1/tasks?per_page=${page}&created_after=${noon}`,
        'far usage page': (history) => `/v1/usage?per_page=${page}&page=${farPage(histories[history], page)}`,
        [POLL]: (history, i) => `/v1/tasks/${polled[history]?.[i]?.id}`,
        'usage page': () => `/v1/usage?per_page=${page}`,
        'usage summary': () => '/v1/usage/summary',
        'summary of 30 days': () => `/v1/usage/summary?from=${noon}`,
      };
      for (const [what, path] of Object.entries(paths)) {
        const before = await Promise.all(histories.map(({ pool }) => countBlocks(pool)));
        // Each task but once: the second answer would come from memory.
        const count = what === POLL ? Math.min(...polled.map((tasks) => tasks.length)) : REQUESTS;
        const took = await takeTurns(histories, count, async (history, i) => {
          const account = histories[history]?.accounts[WHO.indexOf(who)];
          const { apiKey } = (what === POLL ? polled[history]?.[i] : account) ?? {};
          const headers = { authorization: `Bearer ${apiKey}` };
          const answer = await fetch(`${apis[history]?.url}${path(history, i)}`, { headers });
          await answer.arrayBuffer();
          if (answer.status !== 200) {
            throw new Error(`${path(history, i)} answered ${answer.status}`);
          }
        });
        for (const [history, { pool, times }] of histories.entries()) {
          times[`${what}, ${who}`] = quantile(took[history] ?? [], QUIET);
          times[`${what}, ${who}, median`] = quantile(took[history] ?? [], 0.5);
          times[`${what}, ${who}, blocks`] = ((await countBlocks(pool)) - (before[history] ?? 0)) / count;
        }
      }
    }
  } finally {
    for (const api of apis) {
      await api.stop();
    }
  }
}

/** Measures what operators look for: the search, the log of tasks with filters of which some fit nothing, and movements of money. */
async function operatorReads(bench: Bench, histories: readonly History[]): Promise<void> {
  const apis: Program[] = [];
  try {
    const cookies: string[] = [];
    for (const { databaseUrl, pool } of histories) {
      const settings = { ALLOW_SIGNUP: 'true', RATE_LIMIT_AUTH: 'off' };
      const api = await startApi({ ...bench, databaseUrl, settings });
      apis.push(api);
      cookies.push(await signUpOperator(api.url, pool));
    }
    const tasks = await Promise.all(
      histories.map(
        async ({ pool, accounts }) => (await findSomeTasks(pool, accounts[0]?.id ?? '', 1))[0] ?? '',
      ),
    );
    const account = (history: number): string => histories[history]?.accounts[0]?.id ?? '';
    const paths: Record<string, (history: number) => string> = {
      'search: a task': (history) => `search?q=${tasks[history]}`,
      'search: an account': (history) => `search?q=${account(history)}`,
      'search: a part of an address': (history) => `search?q=${account(history).slice(4, 20)}`,
      'search: an unknown request id': () => 'search?q=req_unknown',
      'log: newest': () => 'task-log',
      'log: failed': () => 'task-log?status=failed',
      'log: a provider': () => 'task-log?provider=sandbox',
      'log: an unknown provider': () => 'task-log?provider=none',
      'log: an unknown model': () => 'task-log?model=none',
      'log: of an account': (history) => `task-log?account=${account(history)}`,
      'log: failed, of an account': (history) => `task-log?account=${account(history)}&status=failed`,
      'log: metadata, of an account': (history) => `task-log?account=${account(history)}&metadata[user]=42`,
      'movements of an account': (history) => `accounts/${account(history)}/movements`,
    };
    for (const [what, path] of Object.entries(paths)) {
      const took = await takeTurns(histories, OPERATOR_REQUESTS, async (history) => {
        const target = `${apis[history]?.url}/dashboard/api/operator/${path(history)}`;
        const answer = await fetch(target, { headers: { cookie: cookies[history] ?? '' } });
        const text = await answer.text();
        if (answer.status !== 200) {
          throw new Error(`${path(history)} answered ${answer.status}: ${text}`);
        }
      });
      for (const [history, { times }] of histories.entries()) {
        times[what] = quantile(took[history] ?? [], QUIET);
        times[`${what}, p95`] = quantile(took[history] ?? [], 0.95);
      }
    }
  } finally {
    for (const api of apis) {
      await api.stop();
    }
  }
}

/** Page in the middle of the tasks of the largest account, which has a tenth of all; a small account has no such page. */
function farPage(history: History | undefined, perPage: number): number {
  return Math.max(1, Math.floor((history?.tasks ?? 0) / 20 / perPage));
}

/** Does something so many times with each in turn; milliseconds of each, without the first ones. */
async function takeTurns(
  all: readonly unknown[],
  count: number,
  act: (which: number, i: number) => Promise<unknown>,
): Promise<number[][]> {
  const took: number[][] = all.map(() => []);
  for (let i = 0; i < count; i++) {
    for (const [which, times] of took.entries()) {
      const from = performance.now();
      await act(which, i);
      times.push(performance.now() - from);
    }
  }
  return took.map((times) => times.slice(FIRST_ONES));
}

/** Tasks that are polled: some of the largest account, or one of each small one. */
function polledBy({ pool, accounts }: History, who: (typeof WHO)[number]): ReturnType<typeof someTasks> {
  return someTasks(pool, who === 'largest' ? accounts.slice(0, 1) : accounts.slice(1, REQUESTS));
}

/** Up to so many tasks of an account, or one of each, with the keys that may see them. */
async function someTasks(
  pool: pg.Pool,
  accounts: readonly SeededAccount[],
): Promise<readonly { readonly id: string; readonly apiKey: string }[]> {
  const found: { id: string; apiKey: string }[] = [];
  const ofEach = Math.max(1, Math.floor(REQUESTS / accounts.length));
  for (const { id: accountId, apiKey } of accounts) {
    for (const id of await findSomeTasks(pool, accountId, ofEach)) {
      found.push({ id, apiKey });
    }
  }
  return found;
}

/** Blocks of the database that were touched so far: what a read costs whatever else the machine does. */
async function countBlocks(pool: pg.Pool): Promise<number> {
  await sleep(STATISTICS_MS);
  const { rows } = await pool.query<{ blocks: number }>(
    'SELECT (blks_hit + blks_read)::float8 AS blocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.blocks ?? 0;
}

async function sweeps(histories: readonly History[]): Promise<void> {
  const databases = histories.map(({ databaseUrl }) =>
    createDatabase({ url: databaseUrl, applicationName: 'bench' }),
  );
  const terms = { workerId: 'bench', leaseMs: 30_000, maxTries: 3 };
  const turns = { limit: 32, overdueMs: 0, after: '', blocked: [], perAccount: 32 };
  const statements: Record<string, (db: Database) => Promise<unknown>> = {
    'sweep: claim few in turns': (db) => claimFewInTurns(db, terms, turns),
    'sweep: claim in turns': (db) => claimInTurns(db, terms, { ...turns, maxVisited: 2_000 }),
    'sweep: expired leases': (db) => claimExpiredTasks(db, terms, { limit: 32 }),
    'sweep: overdue': (db) => findOverdueTasks(db, { overdueMs: 5_000, limit: 500 }),
    'sweep: past deadline': (db) => claimTasksPastDeadline(db, { limit: 200, leaseMs: 0 }),
    'sweep: out of tries': (db) => claimTasksOutOfTries(db, { limit: 200, leaseMs: 0, maxTries: 3 }),
    'sweep: abandoned calls': (db) => claimAbandonedCalls(db, { perProvider: 8, leaseMs: 0 }),
    'sweep: orphans': (db) => takeOrphanChecks(db, { limit: 50 }),
  };
  try {
    for (const [name, run] of Object.entries(statements)) {
      const took = await takeTurns(databases, REQUESTS, (history) => run(databases[history] as Database));
      for (const [history, { times }] of histories.entries()) {
        times[name] = quantile(took[history] ?? [], QUIET);
      }
    }
  } finally {
    for (const db of databases) {
      await db.close();
    }
  }
}
