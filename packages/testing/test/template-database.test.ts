import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../src/index.js';

const tables = "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'";

describe('services of the tests', () => {
  let one: TestDatabase;
  let two: TestDatabase;

  beforeAll(async () => {
    [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
  });

  test('every test database has all migrations and shares nothing with another one', async () => {
    const { rows } = await one.pool.query<{ n: number }>(tables);
    expect(rows[0]?.n).toBeGreaterThan(5);
    await one.pool.query('CREATE TABLE only_here (id int)');
    await expect(two.pool.query('SELECT * FROM only_here')).rejects.toThrow('does not exist');
  });

  test('a clone is made from the template without migrating again', async () => {
    const migrated = 'SELECT migration_name, finished_at FROM _prisma_migrations ORDER BY id';
    const [{ rows }, clone] = [await one.pool.query(migrated), await createTestDatabase()];
    expect((await clone.pool.query(migrated)).rows).toEqual(rows);
    await clone.close();
  });

  test('the Redis database of a worker is empty and evicts nothing', async () => {
    const redis = await createTestRedis();
    const client = new Redis(redis.url);
    try {
      expect(await client.dbsize()).toBe(0);
      expect(await client.config('GET', 'maxmemory-policy')).toEqual(expect.arrayContaining(['noeviction']));
    } finally {
      client.disconnect();
    }
  });
});
