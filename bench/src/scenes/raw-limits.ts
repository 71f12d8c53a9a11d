import { newId } from '@image-gateway/shared/ids';
import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import { createObjectStore } from '@image-gateway/shared/storage';
import { median } from '../report/median.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';

const AT_A_TIME = 32;
const PICTURE = Buffer.alloc(353, 1);

/** What the services alone take from one process: prepared inserts, jobs added in bulk, puts of a small picture with the product's own client. */
export async function rawLimits(bench: Bench): Promise<void> {
  const { services } = bench;
  const pool = openPool(await services.createDatabase(), 10);
  const logger = createLogger({ service: 'bench', level: 'error' });
  const redis = createRedis({ url: services.redisUrl, mode: 'fail-fast', name: 'bench', logger });
  const producer = createProducer({ redis, timeoutMs: 10_000 });
  const stub = await startBaseline(bench, 'stub-store');
  const stores = Object.entries({ stub: stub.url, embedded: services.s3.endpoint }).map(
    ([name, endpoint]) => {
      const store = createObjectStore({
        ...services.s3,
        endpoint,
        region: 'us-east-1',
        bucket: 'image-gateway',
      });
      return { name, store };
    },
  );
  await pool.query('CREATE TABLE raw (id text PRIMARY KEY, body text NOT NULL)');
  const insert = { name: 'raw', text: 'INSERT INTO raw (id, body) VALUES ($1, $2)' };
  const actions: Record<string, { readonly weight: number; readonly run: () => Promise<unknown> }> = {
    'one prepared insert': {
      weight: 1,
      run: () => pool.query({ ...insert, values: [newId('gen'), 'x'.repeat(300)] }),
    },
    'jobs in bulk of 50': {
      weight: 50,
      run: () =>
        producer.add(
          'generation',
          Array.from({ length: 50 }, () => ({ taskId: newId('gen'), attempt: 0, traceId: 'bench' })),
        ),
    },
    ...Object.fromEntries(
      stores.map(({ name, store }) => [
        `puts, ${name} store`,
        {
          weight: 1,
          run: () =>
            store.put(`images/${newId('gen')}/0.png`, PICTURE, {
              contentType: 'image/png',
              metadata: { slot: '0' },
            }),
        },
      ]),
    ),
  };
  try {
    for (const { store } of stores) await store.ensureBucket().catch(() => undefined);
    const rates = new Map<string, number[]>();
    for (let round = 0; round <= bench.rounds; round++) {
      for (const [name, { weight, run }] of Object.entries(actions)) {
        const perSecond = (await countFor(round === 0 ? 1 : bench.seconds, run)) * weight;
        if (round > 0) rates.set(name, [...(rates.get(name) ?? []), perSecond]);
      }
      await redis.flushall();
    }
    for (const [name, all] of rates)
      bench.say(
        `  ${name.padEnd(22)} ${[Math.min(...all), median(all), Math.max(...all)].map(Math.round).join(' / ')}/s`,
      );
  } finally {
    await producer.close();
    redis.disconnect();
    for (const { store } of stores) store.close();
    await Promise.all([pool.end(), stub.stop()]);
  }
}

/** How many actions a second end, so many at a time. */
async function countFor(seconds: number, action: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  const until = from + seconds * 1_000;
  let done = 0;
  const line = async (): Promise<void> => {
    for (; performance.now() < until; done++) await action();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, line));
  return (done * 1_000) / (performance.now() - from);
}
