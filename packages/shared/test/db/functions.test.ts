import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createTestDatabase, repositoryRoot, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';

const FUNCTIONS = `
SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
UNION ALL
SELECT tgrelid::regclass || ': ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL
SELECT 'VIEW ' || relname, pg_get_viewdef(oid) FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace`;

const folder = path.join(repositoryRoot(), 'prisma/functions');
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function readDefinitions(client: pg.PoolClient): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(FUNCTIONS);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

test('prisma/functions holds every function, trigger and view as the migrations leave it, and no other', async () => {
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL check_function_bodies = off');
    const migrated = await readDefinitions(client);
    const functions = Object.keys(migrated).filter((name) => name.includes('('));
    const views = Object.keys(migrated).filter((name) => name.startsWith('VIEW '));
    const drops = [...functions.map((name) => `FUNCTION ${name} CASCADE`), ...views];
    await client.query(drops.map((one) => `DROP ${one}`).join('; '));
    expect(await readDefinitions(client)).toEqual({});
    for (const file of readdirSync(folder)) {
      await client.query(readFileSync(path.join(folder, file), 'utf8'));
    }
    expect(await readDefinitions(client)).toEqual(migrated);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
