import { newId } from '@image-gateway/shared/ids';
import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import { countFor } from '../load/count-for.js';
import { putImage } from '../load/put-image.js';
import { spread } from '../report/spread.js';
import { startBaseline } from '../stage/baseline.js';
import type { Bench } from '../stage/bench.js';
import { openPool } from '../stage/open-pool.js';
import { openStore } from '../stage/open-store.js';

const AT_A_TIME = 32;

/** Measures the services alone from one process: prepared inserts, jobs added in bulk, puts of a small image with the product's client. */
export async function rawLimits(bench: Bench): Promise<void> {
  const { services } = bench;
  const pool = openPool(await services.createDatabase(), 10);
  const logger = createLogger({ service: 'bench', level: 'error' });
  const redis = createRedis({ url: services.redisUrl, mode: 'fail-fast', name: 'bench', logger });
  const producer = createProducer({ redis, timeoutMs: 10_000 });
  const stub = await startBaseline(bench, 'stub-store');
  const stores = Object.entries({ stub: stub.url, embedded: services.s3.endpoint }).map(
    ([name, endpoint]) => ({ name, store: openStore({ ...services.s3, endpoint }) }),
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
          run: () => putImage(store),
        },
      ]),
    ),
  };
  try {
    for (const { store } of stores) {
      await store.ensureBucket().catch(() => undefined);
    }
    const rates = new Map<string, number[]>();
    for (let round = 0; round <= bench.rounds; round++) {
      for (const [name, { weight, run }] of Object.entries(actions)) {
        const perSecond = (await countFor(round === 0 ? 1 : bench.seconds, AT_A_TIME, run)) * weight;
        if (round > 0) {
          rates.set(name, [...(rates.get(name) ?? []), perSecond]);
        }
      }
      await redis.flushall();
    }
    for (const [name, all] of rates) {
      bench.say(`  ${name.padEnd(22)} ${spread(all)}/s`);
    }
  } finally {
    await producer.close();
    redis.disconnect();
    for (const { store } of stores) {
      store.close();
    }
    await Promise.all([pool.end(), stub.stop()]);
  }
}
