import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../src/index.js';

const tables = 'SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = $1';

async function query<R extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

describe('services of the tests', () => {
  let one: TestDatabase;
  let two: TestDatabase;

  beforeAll(async () => {
    [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([one.drop(), two.drop()]);
  });

  test('every test database has all migrations and shares nothing with another one', async () => {
    const [found] = await query<{ n: number }>(one.url, tables, ['public']);
    expect(found?.n).toBeGreaterThan(5);
    await query(one.url, 'CREATE TABLE only_here (id int)');
    await expect(query(two.url, 'SELECT * FROM only_here')).rejects.toThrow('does not exist');
  });

  test('a clone is made from the template without migrating again', async () => {
    const started = performance.now();
    const clone = await createTestDatabase();
    expect(performance.now() - started).toBeLessThan(1_000);
    await clone.drop();
  });

  test('the server keeps its sessions in UTC', async () => {
    expect(await query(one.url, 'SHOW timezone')).toEqual([{ TimeZone: 'UTC' }]);
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
