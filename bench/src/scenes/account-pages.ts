import type pg from 'pg';
import { quantile } from '../report/quantile.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { startApi } from '../stage/product.js';
import { fillDeliveries } from '../stage/rows/fill-deliveries.js';
import { fillHistory } from '../stage/rows/fill-history.js';
import { type SeededAccount, seedAccounts } from '../stage/rows/seed-accounts.js';
import { signUp, signUpOperator } from '../stage/sign-up.js';

const DEFAULT_TASKS = 1_000_000;
/** One task in so many has a webhook. */
const TASKS_PER_DELIVERY = 10;
const REQUESTS = 60;
/** The tenth part of the times that was least disturbed by what else the machine does. */
const QUIET = 0.1;
const FIRST_ONES = 10;
const FAR_PAGE = 10_000;
/** Longest time that a read may take. */
const ALLOWED_MS = 50;
const RECEIVERS = Array.from({ length: 40 }, (_, i) => `127.0.0.1:${20_000 + i}`);

/** Lists and pages; exports, which write all rows, are left out, and so are single items but tasks and accounts. */
const PAGES = {
  '/v1 reads': [
    'tasks',
    `tasks?page=${FAR_PAGE}`,
    `tasks?page=${FAR_PAGE}&per_page=100`,
    'tasks/:task',
    'usage',
    `usage?page=${FAR_PAGE}`,
    `usage?page=${FAR_PAGE}&per_page=100`,
    'usage/summary',
    'tasks?metadata[user]=42',
    'tasks?status=failed',
    'files',
    'account',
    'account/statement',
    'models',
  ],
  'pages of the owner': [
    'session',
    'sessions',
    'overview',
    'keys',
    'playground',
    'tasks',
    `tasks?page=${FAR_PAGE}`,
    'tasks?status=completed&per_page=24',
    'tasks?status=failed',
    'tasks/:task',
    'tasks?metadata[user]=42',
    'runs',
    'images',
    'files',
    'statement',
    'used-models',
    'usage',
    'usage?group_by=model',
    'usage?group_by=key',
    'usage?from=:first',
    'usage?from=:first&group_by=key',
    'webhooks',
    'webhooks?page=1000',
    'webhooks/secret',
    'webhooks/tests',
    'endpoints',
    'endpoints/events',
  ],
  'pages of an operator': [
    'system',
    'status',
    'accounts',
    'accounts/:account',
    'accounts/:account/movements',
    'accounts/:account/keys',
    'credit-requests',
    'search?q=:task',
    'task-log',
    'task-log?status=failed',
    'task-log?model=none',
    'task-log?account=:account&metadata[user]=42',
    'tasks',
    'tasks?stuck=true',
    'tasks/:task',
    'providers',
    'models',
    'models/margins',
    'models/providers',
    'needs',
    'endpoints',
    'events',
    'operators',
    'settings',
    'queues',
    'hints',
    'audit',
  ],
} as const;

/** Everything that a measurement needs. */
interface Place {
  readonly url: string;
  readonly account: SeededAccount;
  /** Cookies of sessions. */
  readonly owner: string;
  readonly operator: string;
  /** Values of parameters in paths. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Measures each read without a filter and each page of the dashboard for one account that has all tasks, `--tasks` of them. Marks
 * those that take more than 50 ms.
 */
export async function accountPages(bench: Bench): Promise<void> {
  const tasks = Number(bench.flag('tasks') ?? DEFAULT_TASKS);
  const databaseUrl = await bench.services.createDatabase();
  const pool = openPool(databaseUrl);
  try {
    const [account] = await seedAccounts(pool, 1);
    if (!account) {
      throw new Error('the bench has no account');
    }
    const from = performance.now();
    await fillHistory(pool, [account, account], tasks);
    await fillDeliveries(pool, { count: Math.floor(tasks / TASKS_PER_DELIVERY), receivers: RECEIVERS });
    const seconds = Math.round((performance.now() - from) / 1_000);
    bench.say(`  ${tasks} finished tasks of one account, a tenth with webhooks, written in ${seconds} s`);
    const settings = { ALLOW_SIGNUP: 'true', RATE_LIMIT_AUTH: 'off' };
    const api = await startApi({ ...bench, databaseUrl, settings });
    try {
      const owner = await signUp(api.url, 'owner@example.com');
      await pool.query('UPDATE account_users SET account_id = $1', [account.id]);
      const operator = await signUpOperator(api.url, pool);
      const params = { account: account.id, ...(await findParams(pool)) };
      await measure(bench, { url: api.url, account, owner, operator, params });
    } finally {
      await api.stop();
    }
  } finally {
    await pool.end();
  }
}

/** Finds a task in the middle of the history, and the first day of the history. */
async function findParams(pool: pg.Pool): Promise<{ readonly task: string; readonly first: string }> {
  const { rows } = await pool.query<{ id: string; first: string }>(
    `SELECT (SELECT id FROM tasks WHERE created_at < now() - interval '45 days' ORDER BY created_at DESC LIMIT 1) AS id,
            to_char(now() - interval '89 days', 'YYYY-MM-DD') AS first`,
  );
  const [found] = rows;
  return { task: found?.id ?? '', first: found?.first ?? '' };
}

async function measure(bench: Bench, { url, account, owner, operator, params }: Place): Promise<void> {
  const callers = {
    '/v1 reads': { prefix: '/v1/', headers: { authorization: `Bearer ${account.apiKey}` } },
    'pages of the owner': { prefix: '/dashboard/api/', headers: { cookie: owner } },
    'pages of an operator': { prefix: '/dashboard/api/operator/', headers: { cookie: operator } },
  };
  for (const group of Object.keys(callers) as (keyof typeof callers)[]) {
    const { prefix, headers } = callers[group];
    bench.say(`  ${group}: milliseconds, the least disturbed tenth and the median`);
    for (const path of PAGES[group]) {
      const target = url + prefix + path.replace(/:(\w+)/g, (_all, name: string) => params[name] ?? '');
      const took: number[] = [];
      for (let i = 0; i < FIRST_ONES + REQUESTS; i++) {
        const from = performance.now();
        const response = await fetch(target, { headers });
        const text = await response.text();
        took.push(performance.now() - from);
        if (response.status !== 200) {
          throw new Error(`${path} answered ${response.status}: ${text}`);
        }
      }
      const counted = took.slice(FIRST_ONES);
      const [quiet, median] = [quantile(counted, QUIET), quantile(counted, 0.5)];
      const mark = median > ALLOWED_MS ? `  over ${ALLOWED_MS} ms` : '';
      bench.say(
        `    ${path.padEnd(40)} ${quiet.toFixed(1).padStart(6)} ${median.toFixed(1).padStart(7)}${mark}`,
      );
    }
  }
}
