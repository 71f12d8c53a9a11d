import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { median } from '../report/median.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { startApi, startGenerationWorker } from '../stage/product.js';
import { seedAccounts } from '../stage/seed-accounts.js';
import type { Services } from '../stage/services.js';
import type { Program } from '../stage/start-program.js';
import { residentMibOf, usageOf } from '../stage/usage-of.js';
import { submissions } from './submit.js';

/** Tasks a second that workers bring to their end, and what a task costs. */
export interface Throughput {
  readonly store: string;
  readonly perSecond: number;
  readonly cpuMicros: Readonly<Record<string, number>>;
  readonly residentMib: readonly number[];
}

/** Tasks a second from the queue to the settlement, with a backlog that never ends meanwhile, on each object store. */
export async function endToEnd(bench: Bench): Promise<readonly Throughput[]> {
  const stub = await startBaseline(bench, 'stub-store');
  const stores: Record<string, Services['s3']> = {
    stub: { ...bench.services.s3, endpoint: stub.url },
    embedded: bench.services.s3,
  };
  const results: Throughput[] = [];
  try {
    for (const [name, s3] of Object.entries(stores)) {
      const only = bench.flag('store');
      if (only !== undefined && only !== name) continue;
      results.push(await measure({ ...bench, services: { ...bench.services, s3 } }, name));
    }
  } finally {
    await stub.stop();
  }
  return results;
}

async function measure(bench: Bench, store: string): Promise<Throughput> {
  const { services } = bench;
  const databaseUrl = await services.createDatabase();
  const pool = openPool(databaseUrl);
  const redis = new Redis(services.redisUrl);
  const workers: Program[] = [];
  try {
    await redis.flushall();
    const accounts = await seedAccounts(pool, 100);
    const api = await startApi({ ...bench, nodeArgs: [], databaseUrl });
    await fill(bench, api.url, submissions(accounts));
    await api.stop();
    const settings = { GENERATION_CONCURRENCY: bench.flag('concurrency') ?? '32' };
    for (let i = 0; i < Number(bench.flag('workers') ?? 2); i++)
      workers.push(await startGenerationWorker({ ...bench, databaseUrl, settings }));
    const ended = async (): Promise<number> => {
      const { rows } = await pool.query<{ ended: number }>(
        'SELECT sum(task_count - open_count)::float8 AS ended FROM accounts',
      );
      return rows[0]?.ended ?? 0;
    };
    await sleep(4_000); // warm-up
    const pids = {
      ...Object.fromEntries(workers.map(({ pid }, i) => [`worker ${i + 1}`, pid])),
      postgres: services.postgresPid,
      redis: services.redisPid,
    };
    const used = (): Record<string, number> =>
      Object.fromEntries(Object.entries(pids).map(([key, pid]) => [key, usageOf(pid).cpuMs]));
    const before = used();
    const rates: number[] = [];
    const first = await ended();
    let last = first;
    for (let round = 0; round < bench.rounds * bench.seconds; round++) {
      const from = performance.now();
      await sleep(1_000);
      const now = await ended();
      rates.push(((now - last) * 1000) / (performance.now() - from));
      last = now;
    }
    const after = used();
    const cpuMicros = Object.fromEntries(
      Object.keys(pids).map((key) => [
        key,
        Math.round((((after[key] ?? 0) - (before[key] ?? 0)) * 1000) / Math.max(1, last - first)),
      ]),
    );
    const { rows } = await pool.query<{ open: number }>(
      'SELECT sum(open_count)::float8 AS open FROM accounts',
    );
    const result = {
      store,
      perSecond: median(rates),
      cpuMicros,
      residentMib: workers.map(({ pid }) => Math.round(residentMibOf(pid))),
    };
    bench.say(
      `  ${store}: ${Math.round(result.perSecond)} tasks/s (${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))}), cpu ${JSON.stringify(cpuMicros)}, resident ${result.residentMib.join(' ')} MiB, left ${rows[0]?.open}`,
    );
    return result;
  } finally {
    for (const worker of workers) await worker.stop();
    await pool.end();
    redis.disconnect();
  }
}

/** Submits until the backlog is longer than the workers can bring to an end meanwhile. */
async function fill(bench: Bench, url: string, requests: readonly string[]): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const wanted = Number(bench.flag('backlog') ?? 20_000);
  for (let made = 0; made < wanted; ) {
    const { statuses } = await bench.loader.run({
      host,
      port: Number(port),
      connections: 128,
      requests,
      seconds: 2,
    });
    made += statuses[202] ?? 0;
  }
}
