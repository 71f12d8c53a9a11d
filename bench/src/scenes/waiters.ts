import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { fillBacklog } from '../load/fill-backlog.js';
import { submissions } from '../load/submissions.js';
import { waitForEnd } from '../load/wait-for-end.js';
import { quantile } from '../report/quantile.js';
import type { Bench } from '../stage/bench.js';
import { measureResidentMib, measureUsage } from '../stage/measure-usage.js';
import { startStore } from '../stage/start-store.js';
import { type Product, withProduct } from '../stage/with-product.js';

const ACCOUNTS = 20;
const CHUNK = 200;
const QUIET_MS = 20_000;
/** Time in which the requests have read their task for the first time. */
const FIRST_READS_MS = 5_000;
/** Time after which PostgreSQL's counters of statements are up to date. */
const COUNTED_AFTER_MS = 2_000;

/**
 * Requests of `--count` (10,000) clients that wait for a task each on one API process. Measures their cost, and the time from
 * the settlement to the answer.
 */
export async function waiters(bench: Bench): Promise<void> {
  const store = await startStore(bench, 'stub');
  try {
    await withProduct(bench, { ...store, accounts: ACCOUNTS }, (product) => measure(bench, product));
  } finally {
    await store?.stop();
  }
}

async function measure(bench: Bench, { pool, accounts, apis, startWorkers }: Product): Promise<void> {
  const [api] = apis;
  if (!api) {
    throw new Error('the scene needs an API');
  }
  const count = Number(bench.flag('count') ?? 10_000);
  await fillBacklog(bench, api.url, submissions(accounts), count);
  const keys = new Map(accounts.map(({ id, apiKey }) => [id, apiKey]));
  const { rows } = await pool.query<{ id: string; account_id: string }>(
    'SELECT id, account_id FROM tasks ORDER BY id LIMIT $1',
    [count],
  );
  const observe = async (name: string): Promise<void> => {
    const before = { statements: await countStatements(pool), cpu: measureUsage(api.pid).cpuMs };
    await sleep(QUIET_MS);
    const cpuMs = measureUsage(api.pid).cpuMs - before.cpu;
    const statements = (await countStatements(pool)) - before.statements;
    const perSecond = (value: number): string => ((value * 1_000) / (QUIET_MS + COUNTED_AFTER_MS)).toFixed(1);
    bench.say(
      `  ${name}: ${perSecond(statements)} statements/s, ${perSecond(cpuMs)} ms CPU/s, ${Math.round(measureResidentMib(api.pid))} MiB`,
    );
  };
  await observe('nobody waits');

  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const answeredAt = new Map<string, number>();
  const waiting: Promise<unknown>[] = [];
  for (let at = 0; at < rows.length; at += CHUNK) {
    for (const { id, account_id: account } of rows.slice(at, at + CHUNK)) {
      const waiter = { id, apiKey: keys.get(account) ?? '' };
      waiting.push(waitForEnd(api.url, waiter, agent).then((time) => answeredAt.set(id, time)));
    }
    await sleep(50);
  }
  await sleep(FIRST_READS_MS);
  await observe(`${rows.length} wait`);
  await startWorkers(2, { GENERATION_CONCURRENCY: '32' });
  await Promise.all(waiting);
  agent.destroy();

  const ends = await pool.query<{ id: string; at: number }>(
    'SELECT id, (extract(epoch FROM completed_at) * 1000)::float8 AS at FROM tasks WHERE completed_at IS NOT NULL',
  );
  const delays = ends.rows.flatMap(({ id, at }) => {
    const time = answeredAt.get(id);
    return time === undefined ? [] : [time - at];
  });
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => Math.round(quantile(delays, share)));
  bench.say(
    `  from the settlement to the answer: p50 ${p50} ms, p99 ${p99} ms, at most ${most} ms of ${delays.length}; then ${Math.round(measureResidentMib(api.pid))} MiB`,
  );
}

/** Statements that other sessions have run on the database so far. */
async function countStatements(pool: pg.Pool): Promise<number> {
  await sleep(COUNTED_AFTER_MS / 2);
  const { rows } = await pool.query<{ n: number }>(
    'SELECT (xact_commit + xact_rollback)::float8 AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.n ?? 0;
}
