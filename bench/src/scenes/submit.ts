import { Redis } from 'ioredis';
import { type Contestant, compete } from '../load/compete.js';
import { submissions } from '../load/submissions.js';
import { targetOf } from '../load/target-of.js';
import { median } from '../report/median.js';
import { printRounds } from '../report/print-rounds.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { startApi } from '../stage/product.js';
import { type SeededAccount, seedAccounts } from '../stage/seed-accounts.js';
import { residentMibOf } from '../stage/usage-of.js';

/** Accepted submissions a second: bare Express, the plain way, the product; one process each. */
export async function submit(bench: Bench): Promise<void> {
  const { services } = bench;
  const databases = { plain: await services.createDatabase(), product: await services.createDatabase() };
  const accountsOf = async (url: string): Promise<SeededAccount[]> => {
    const pool = openPool(url);
    try {
      return await seedAccounts(pool, Number(bench.flag('accounts') ?? 100));
    } finally {
      await pool.end();
    }
  };
  const redis = new Redis(services.redisUrl);
  const bare = await startBaseline(bench, 'bare-express');
  const plain = await startBaseline(bench, 'plain', {
    DATABASE_URL: databases.plain,
    REDIS_URL: services.redisUrl,
  });
  const api = await startApi({ ...bench, databaseUrl: databases.product });
  const plainRequests = submissions(await accountsOf(databases.plain));
  const contestants: Contestant[] = [
    {
      name: 'bare Express',
      urls: [bare.url],
      requests: plainRequests,
      status: 202,
      pids: { process: bare.pid },
    },
    { name: 'plain', urls: [plain.url], requests: plainRequests, status: 202, pids: { process: plain.pid } },
    {
      ...{ name: 'product', urls: [api.url], status: 202, pids: { process: api.pid } },
      requests: submissions(await accountsOf(databases.product)),
    },
  ];
  try {
    const rounds = await compete(bench, contestants, async () => void (await redis.flushall()));
    printRounds(bench, rounds);
    const product = contestants.at(-1);
    const most = median((rounds.get('product') ?? []).map(({ perSecond }) => perSecond));
    if (product && most > 0) await printLatency(bench, product, most * 0.7);
    bench.say(`  resident after ${Math.round(residentMibOf(api.pid))} MiB`);
  } finally {
    redis.disconnect();
    await Promise.all([bare.stop(), plain.stop(), api.stop()]);
  }
}

/** Latency at a steady rate, counted from the moment at which each request was due. */
async function printLatency(
  bench: Bench,
  { urls, requests, status }: Contestant,
  perSecond: number,
): Promise<void> {
  const { connections, seconds } = bench;
  const result = await bench.loader.run({
    ...targetOf(urls),
    ...{ connections: 4 * connections, seconds, requests, perSecond },
  });
  const good = result.statuses[status] ?? 0;
  bench.say(
    `  at 70 % (${Math.round(perSecond)}/s): ${Math.round(good / result.seconds)}/s, p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`,
  );
}
