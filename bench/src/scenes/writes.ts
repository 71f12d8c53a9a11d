import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { parseTarget } from '../load/parse-target.js';
import { submissions } from '../load/submissions.js';
import type { Bench } from '../stage/bench.js';
import { countTasks } from '../stage/rows/count-tasks.js';
import { withProduct } from '../stage/with-product.js';

/** Tasks a second of an installation that has time for each. */
const STEADY = 50;
/** A backend of PostgreSQL reports what it has written a second after its statement at the latest. */
const REPORTED_MS = 2_000;
const POLL_MS = 500;

interface Written {
  /** Rows that were inserted, updated and deleted, and how many of the updates left the indexes alone, by table. */
  readonly tables: ReadonlyMap<string, readonly [rows: number, updated: number, hot: number]>;
  readonly walBytes: number;
  readonly ended: number;
}

/** Measures row writes and bytes of WAL from the submit to the settlement: at 50 tasks a second, and as fast as they come. */
export async function writes(bench: Bench): Promise<void> {
  const seconds = bench.rounds * bench.seconds;
  await withProduct(bench, {}, async ({ pool, accounts, apis, startWorkers }) => {
    await startWorkers(Number(bench.flag('workers') ?? 2));
    const load = { ...parseTarget(apis.map(({ url }) => url)), requests: submissions(accounts) };
    const paces = {
      'warm-up': { connections: 16, perSecond: STEADY, seconds: bench.warmUp },
      [`${STEADY} tasks/s`]: { connections: 16, perSecond: STEADY, seconds },
      'as fast as they come': { connections: bench.connections, seconds: bench.seconds },
    };
    for (const [name, pace] of Object.entries(paces)) {
      const before = await readWritten(pool);
      await bench.loader.run({ ...load, ...pace });
      while ((await countTasks(pool)).open > 0) {
        await sleep(POLL_MS);
      }
      const after = await readWritten(pool);
      if (name !== 'warm-up') {
        say(bench, name, { before, after });
      }
    }
  });
}

async function readWritten(pool: pg.Pool): Promise<Written> {
  await sleep(REPORTED_MS);
  const { rows } = await pool.query<{ table: string; rows: number; updated: number; hot: number }>(
    `SELECT relname AS table, (n_tup_ins + n_tup_upd + n_tup_del)::float8 AS rows, n_tup_upd::float8 AS updated,
            n_tup_hot_upd::float8 AS hot FROM pg_stat_user_tables`,
  );
  const wal = await pool.query<{ bytes: number }>("SELECT (pg_current_wal_lsn() - '0/0')::float8 AS bytes");
  const { ended } = await countTasks(pool);
  return {
    tables: new Map(rows.map(({ table, rows: all, updated, hot }) => [table, [all, updated, hot]])),
    walBytes: wal.rows[0]?.bytes ?? 0,
    ended,
  };
}

function say(
  bench: Bench,
  name: string,
  { before, after }: { readonly before: Written; readonly after: Written },
): void {
  const tasks = after.ended - before.ended;
  const lines = [...after.tables]
    .map(([table, now]) => {
      const then = before.tables.get(table) ?? [0, 0, 0];
      const [rows, updated, hot] = [now[0] - then[0], now[1] - then[1], now[2] - then[2]];
      return { table, perTask: rows / tasks, hot: updated > 0 ? hot / updated : 1 };
    })
    .filter(({ perTask }) => perTask >= 0.005)
    .sort((a, b) => b.perTask - a.perTask);
  const all = lines.reduce((sum, { perTask }) => sum + perTask, 0);
  const walBytes = (after.walBytes - before.walBytes) / tasks;
  bench.say(
    `  ${name}: ${all.toFixed(1)} row writes and ${Math.round(walBytes)} bytes of WAL a task, of ${tasks}`,
  );
  for (const { table, perTask, hot } of lines) {
    bench.say(`    ${table.padEnd(24)} ${perTask.toFixed(2)}  HOT ${Math.round(hot * 100)} %`);
  }
  bench.score({ scene: 'row writes a task', name: `product, ${name}`, unit: 'rows', values: [all] });
  bench.score({ scene: 'WAL a task', name: `product, ${name}`, unit: 'bytes', values: [walBytes] });
}
