import { checkDocument } from '@image-gateway/shared/catalog/document';
import {
  checkInvariants,
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('the first version, which a migration brought, has no document of an operator, and offers the models of the specification at their prices', async () => {
  const { rows } = await database.pool.query('SELECT id, origin, source, document FROM catalog_versions');
  const checked = checkDocument('');
  if ('faults' in checked) {
    throw new Error('the built-in document has faults');
  }
  const { models, ...rest } = checked.document;
  const specified = ['nanobanana', 'nanobanana-pro'];
  // Routes and aliases are those of its time; a start lays the built-in content of its release over it as a new version.
  const withoutRoutes = Object.entries(models)
    .filter(([id]) => specified.includes(id))
    .map(([id, { routes: _routes, aliases: _aliases, ...model }]) => [
      id,
      expect.objectContaining({ ...model, routes: expect.any(Array) }),
    ]);
  expect(rows).toEqual([
    {
      id: 1,
      origin: 'built-in',
      source: '',
      document: { ...rest, built_in_routes: specified, models: Object.fromEntries(withoutRoutes) },
    },
  ]);
});

test('versions are append-only, and their digest is that of the source', async () => {
  const query = (sql: string) => database.pool.query(sql);
  await expect(query("UPDATE catalog_versions SET note = 'x'")).rejects.toThrow('append-only');
  await expect(query('DELETE FROM catalog_versions')).rejects.toThrow('append-only');
  await expect(query('TRUNCATE catalog_versions')).rejects.toThrow('append-only');
  const insert = "INSERT INTO catalog_versions (id, source, document, digest, origin) VALUES (2, 'a', '{}'";
  await expect(query(`${insert}, 'b', 'cli')`)).rejects.toThrow('catalog_versions_digest');
  await expect(query(`${insert}, encode(sha256('a'), 'hex'), 'other')`)).rejects.toThrow(
    'catalog_versions_origin',
  );
});

test('a task that was not priced by a version active at its submit breaks the books', async () => {
  const { pool, db } = database;
  const { id } = await createTestTask(db, await createTestAccount(database));
  const price = (dollars: string) => JSON.stringify({ models: { nanobanana: { price: { '1k': dollars } } } });
  const insert = (version: number, dollars: string, age: string) =>
    pool.query(
      `INSERT INTO catalog_versions (id, source, document, digest, origin, created_at)
       VALUES ($1::int, $1::int::text, $2, encode(sha256(convert_to($1::int::text, 'UTF8')), 'hex'), 'cli', now() - $3::interval)`,
      [version, price(dollars), age],
    );
  await insert(2, '0.0100', '10 minutes');
  await insert(3, '0.0100', '1 second');
  await insert(4, '0.0200', '0 seconds');
  await insert(5, '0.0100', '-1 hour');
  await pool.query('UPDATE tasks SET created_at = now() WHERE id = $1', [id]);
  for (const [version, ok] of [
    [null, true],
    [2, true],
    [3, true],
    [1, false], // replaced ten minutes ago
    [4, false], // another price
    [5, false], // later than the submit
    [9, false], // there is none
  ] as const) {
    await pool.query('UPDATE tasks SET catalog_version = $2 WHERE id = $1', [id, version]);
    const check = checkInvariants(pool, 'live');
    await (ok ? expect(check).resolves.toBeUndefined() : expect(check).rejects.toThrow('I25'));
  }
});

test('a price of a version that was replaced seconds ago holds nothing', async () => {
  const account = await createTestAccount(database);
  const stale = createTestTask(database.db, account, { price: { unitMicros: 10_000n, catalogVersion: 1 } });
  await expect(stale).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const { rows } = await database.pool.query(
    'SELECT held_micros::int AS held, open_count AS open FROM accounts WHERE id = $1',
    [account.id],
  );
  expect(rows).toEqual([{ held: 0, open: 0 }]);
});
