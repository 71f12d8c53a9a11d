import { Redis } from 'ioredis';
import { type Contestant, compete, type Server } from '../load/compete.js';
import { createQuotes } from '../load/create-quotes.js';
import { parseTarget } from '../load/parse-target.js';
import { submissions } from '../load/submissions.js';
import { median } from '../report/median.js';
import { printRounds } from '../report/print-rounds.js';
import { spread } from '../report/spread.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { measureResidentMib } from '../stage/measure-usage.js';
import { openPool } from '../stage/open-pool.js';
import { startApi } from '../stage/product.js';
import { readLoopLag, showLoopLag } from '../stage/read-loop-lag.js';
import { capKeys, type SeededAccount, seedAccounts } from '../stage/rows/seed-accounts.js';
import { startOther } from '../stage/start-other.js';
import { startRaw } from '../stage/start-raw.js';

/** Of what a contestant can do, for its latencies. */
const STEADY_SHARE = 0.7;

/**
 * Measures accepted submissions a second, one process each. Contestants are bare Express, the smallest durable submit
 * (`raw`), its statement by `pgbench` where there is one, the plain way, and the product. Its keys have no caps, and then all three.
 */
export async function submit(bench: Bench): Promise<void> {
  const { services } = bench;
  const databases = { plain: await services.createDatabase(), product: await services.createDatabase() };
  const quotes = createQuotes(bench);
  const accountCount = Number(bench.flag('accounts') ?? 100);
  const raw = await startRaw(bench, accountCount);
  const pickAccounts = async (
    url: string,
    { capped }: { readonly capped: boolean } = { capped: false },
  ): Promise<SeededAccount[]> => {
    const pool = openPool(url);
    try {
      const accounts = await seedAccounts(pool, accountCount);
      if (capped) {
        await capKeys(pool, accounts);
      }
      return accounts;
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
  const other = await startOther(bench);
  const plainRequests = submissions(await pickAccounts(databases.plain));
  const requests = submissions(await pickAccounts(databases.product));
  const product = { urls: [api.url], status: 202, pids: { process: api.pid } };
  const contestants: Contestant[] = [
    {
      name: 'bare Express',
      urls: [bare.url],
      requests: plainRequests,
      status: 202,
      pids: { process: bare.pid },
    },
    ...raw.contestants,
    { name: 'plain', urls: [plain.url], requests: plainRequests, status: 202, pids: { process: plain.pid } },
    { name: 'product', ...product, requests },
    // Two builds do as much as each other: the one that did more would be the faster one.
    other
      ? {
          ...product,
          name: 'product, beside',
          urls: [other.url],
          pids: { process: other.pid },
          requests: submissions(await pickAccounts(other.databaseUrl)),
        }
      : {
          name: 'product, caps',
          ...product,
          requests: submissions(await pickAccounts(databases.product, { capped: true })),
        },
  ];
  try {
    await readLoopLag(api);
    const rounds = await compete(bench, contestants, {
      between: async () => void (await redis.flushall()),
      meanwhile: (contestant, seconds) => quotes.ask(contestant, seconds),
    });
    printRounds(bench, 'submit', rounds);
    bench.say(`  product: ${showLoopLag(await readLoopLag(api))}`);
    if (bench.isQuick) {
      return;
    }
    const steady = contestants.flatMap((contestant) => {
      if ('perform' in contestant) {
        return [];
      }
      const most = median((rounds.get(contestant.name) ?? []).map(({ perSecond }) => perSecond));
      return most > 0 ? [{ ...contestant, perSecond: most * STEADY_SHARE }] : [];
    });
    await printLatencies(bench, steady, async () => void (await redis.flushall()));
    bench.say(`  resident after ${Math.round(measureResidentMib(api.pid))} MiB`);
  } finally {
    redis.disconnect();
    quotes.stop();
    await Promise.all([bare.stop(), raw.stop(), plain.stop(), api.stop(), other?.stop()]);
  }
}

/** Latencies at a steady rate, round after round, counted from the moment at which each request was due. */
async function printLatencies(
  bench: Bench,
  contestants: readonly (Server & { readonly perSecond: number })[],
  between: () => Promise<void>,
): Promise<void> {
  const { seconds } = bench;
  const connections = 4 * bench.connections;
  const seen = contestants.map(() => ({ p50: [] as number[], p99: [] as number[] }));
  for (let round = 0; round < bench.rounds; round++) {
    for (const [i, { urls, requests, perSecond }] of contestants.entries()) {
      const plan = { ...parseTarget(urls), connections, seconds, requests, perSecond };
      const { p50, p99 } = await bench.loader.run(plan);
      seen[i]?.p50.push(p50);
      seen[i]?.p99.push(p99);
      await between();
    }
  }
  for (const [i, { name, perSecond }] of contestants.entries()) {
    bench.score({ scene: 'submit p50 at 70 %', name, unit: 'ms', values: seen[i]?.p50 ?? [] });
    bench.say(
      `  ${name.padEnd(14)} at ${STEADY_SHARE * 100} % (${Math.round(perSecond)}/s)  p50 ${spread(seen[i]?.p50 ?? [])} ms  p99 ${spread(seen[i]?.p99 ?? [])} ms`,
    );
  }
}
