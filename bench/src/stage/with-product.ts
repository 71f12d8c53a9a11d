import { Redis } from 'ioredis';
import type pg from 'pg';
import type { Bench } from './bench.js';
import { openPool } from './open-pool.js';
import { startApi, startGenerationWorker } from './product.js';
import { type SeededAccount, seedAccounts } from './rows/seed-accounts.js';
import type { Services } from './services.js';
import type { Program } from './start-program.js';

/** How much of the product runs. */
export interface ProductPlan {
  readonly accounts?: number;
  readonly apis?: number;
  readonly s3?: Services['s3'];
  /** More settings of the API. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The product at work on a database of its own. */
export interface Product {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly accounts: readonly SeededAccount[];
  readonly apis: readonly Program[];
  /** Starts so many generation workers, which stay until the end. */
  readonly startWorkers: (
    count: number,
    settings?: Readonly<Record<string, string>>,
  ) => Promise<readonly Program[]>;
}

/** Starts API processes over an empty database with accounts in it, and stops everything when the work is done or has failed. */
export async function withProduct<T>(
  bench: Bench,
  { accounts = 100, apis = 1, s3 = bench.services.s3, settings: apiSettings = {} }: ProductPlan,
  work: (product: Product) => Promise<T>,
): Promise<T> {
  const services = { ...bench.services, s3 };
  const databaseUrl = await services.createDatabase();
  const pool = openPool(databaseUrl);
  const redis = new Redis(services.redisUrl);
  const programs: Program[] = [];
  const startMany = async (count: number, start: () => Promise<Program>): Promise<readonly Program[]> => {
    const started: Program[] = [];
    for (let i = 0; i < count; i++) {
      started.push(await start());
    }
    programs.push(...started);
    return started;
  };
  try {
    await redis.flushall();
    const options = { ...bench, services, databaseUrl };
    return await work({
      databaseUrl,
      pool,
      accounts: await seedAccounts(pool, accounts),
      apis: await startMany(apis, () => startApi({ ...options, settings: apiSettings })),
      startWorkers: (count, settings = {}) =>
        startMany(count, () => startGenerationWorker({ ...options, settings })),
    });
  } finally {
    await Promise.all(programs.map(({ stop }) => stop()));
    await pool.end();
    redis.disconnect();
  }
}
