import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Contestant } from '../load/compete.js';
import { postRequest } from '../load/requests.js';
import { BODY } from '../load/submissions.js';
import { startBaseline } from './baseline.js';
import type { Bench } from './bench.js';
import { openPool } from './open-pool.js';
import { seedAccounts } from './rows/seed-accounts.js';
import { hasPgbench, runPgbench } from './run-pgbench.js';

/** The smallest durable submit: its contestants, which share a database. */
export interface Raw {
  readonly contestants: readonly Contestant[];
  readonly stop: () => Promise<void>;
}

/** Starts `baseline/raw.mjs` on tables of the product without triggers and foreign keys; the same text runs by `pgbench` where there is one. */
export async function startRaw(bench: Bench, accountCount: number): Promise<Raw> {
  const databaseUrl = await bench.services.createDatabase();
  const pool = openPool(databaseUrl);
  const accounts = await seedAccounts(pool, accountCount).finally(async () => {
    await pool.query('ALTER TABLE tasks DISABLE TRIGGER ALL');
    await pool.query('ALTER TABLE accounts DISABLE TRIGGER ALL');
    await pool.end();
  });
  const program = await startBaseline(bench, 'raw', { DATABASE_URL: databaseUrl });
  const text = readFileSync(path.join(bench.root, 'bench/baseline/raw-submit.sql'), 'utf8');
  const statements = accounts.map(({ id }) => text.replaceAll('$1', `'${id}'`).replaceAll('$2', ':prompt'));
  const byPgbench = {
    name: 'raw, pgbench',
    perform: (seconds: number) =>
      runPgbench(databaseUrl, { statements, variables: { prompt: BODY.prompt }, seconds }),
  };
  const isThere = await hasPgbench();
  if (!isThere) {
    bench.say('  raw, pgbench: left out, there is no pgbench on PATH');
  }
  return {
    contestants: [
      {
        name: 'raw',
        urls: [program.url],
        requests: accounts.map(({ id }) => postRequest('/v1/generate', BODY, { Account: id })),
        status: 202,
        pids: { process: program.pid },
      },
      ...(isThere ? [byPgbench] : []),
    ],
    stop: () => program.stop(),
  };
}
