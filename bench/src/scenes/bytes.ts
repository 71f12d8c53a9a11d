import { createDatabase, deleteOldAttempts, deleteOldCalls } from '@image-gateway/shared/db';
import type pg from 'pg';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { fillHistory } from '../stage/rows/fill-history.js';
import { seedAccounts } from '../stage/rows/seed-accounts.js';

const ACCOUNTS = 1_000;
const WINDOWS = 3;
const DETAILS = ['provider_calls', 'webhook_attempts'] as const;
const BATCH = 20_000;

// A webhook for each task, with a body of the usual length, that was sent once.
const WEBHOOKS = `
INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, state, attempt, last_status, delivered_at)
SELECT 'msg_' || substr(id, 6), id, account_id, 'https://hooks.example.com/images/done', 'hooks.example.com:443',
       json_build_object('type', 'task.completed', 'data', repeat('x', 330)), 'delivered', 1, 200, now() FROM tasks`;
const ATTEMPTS = `
INSERT INTO webhook_attempts (delivery_id, attempt, status, ended_at) SELECT id, $1::int, 200, now() FROM webhook_deliveries`;
const CALLS = `
INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, key_fingerprint, state, cost_micros, finished_at)
SELECT 'call' || $1::int || substr(id, 6), id, 1, 'gemini', 'gemini-3-pro-image', 1, '{0}', 'a1b2c3d4', 'succeeded', 33600, now() FROM tasks`;

type Sizes = ReadonlyMap<string, number>;

/**
 * Measures the bytes of a finished task by table, indexes included: with its details, which are deleted after
 * DETAIL_RETENTION_DAYS, and without them. Then fills and empties the tables of details again, to see that they do not grow.
 */
export async function bytes(bench: Bench): Promise<Record<string, number>> {
  const tasks = Number(bench.flag('tasks') ?? 100_000);
  const databaseUrl = await bench.services.createDatabase();
  const pool = openPool(databaseUrl);
  const db = createDatabase({ url: databaseUrl, applicationName: 'bench' });
  try {
    const accounts = await seedAccounts(pool, ACCOUNTS);
    const empty = await readSizes(pool);
    await fillHistory(pool, accounts, tasks);
    await pool.query(WEBHOOKS);
    await pool.query(ATTEMPTS, [1]);
    const whole = await readSizes(pool);
    const perTask = Object.fromEntries(
      [...whole]
        .map(([table, size]) => [table, (size - (empty.get(table) ?? 0)) / tasks] as const)
        .filter(([, size]) => size >= 1)
        .sort(([, a], [, b]) => b - a),
    );
    bench.say(`  bytes a task, of ${tasks} with a webhook each:`);
    for (const [table, size] of Object.entries(perTask)) {
      bench.say(`    ${table.padEnd(20)} ${size.toFixed(0)}${isDetail(table) ? '  (details)' : ''}`);
    }
    const kept = Object.entries(perTask).filter(([table]) => !isDetail(table));
    bench.say(`    kept for ever        ${kept.reduce((sum, [, size]) => sum + size, 0).toFixed(0)}`);
    for (let window = 1; window <= WINDOWS; window += 1) {
      while (
        (await deleteOldCalls(db, { days: 0, limit: BATCH })) +
          (await deleteOldAttempts(db, { days: 0, limit: BATCH })) >
        0
      ) {}
      await pool.query(`VACUUM ${DETAILS.join(', ')}`);
      await pool.query(CALLS, [window]);
      await pool.query(ATTEMPTS, [window + 1]);
      const sizes = await readSizes(pool);
      const text = DETAILS.map(
        (table) => `${table} ${((sizes.get(table) ?? 0) / (whole.get(table) ?? 1)).toFixed(2)}`,
      );
      bench.say(`  window ${window + 1}, of the first: ${text.join(', ')}`);
    }
    return perTask;
  } finally {
    await db.close();
    await pool.end();
  }
}

const isDetail = (table: string): boolean => (DETAILS as readonly string[]).includes(table);

async function readSizes(pool: pg.Pool): Promise<Sizes> {
  const { rows } = await pool.query<{ name: string; size: number }>(
    `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS size FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, size }) => [name, size]));
}
