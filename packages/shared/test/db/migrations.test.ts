import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyMigrations, type MigrationOptions } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { eventually, repositoryRoot, testServices } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';

const PRODUCT = path.join(repositoryRoot(), 'prisma/migrations');
let folder: string;
let name: string;
let url: string;
let admin: pg.Client;
let lines: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'migrations-'));
  name = `migrate_${randomBytes(6).toString('hex')}`;
  url = databaseUrl(name);
  lines = [];
  admin = new pg.Client({ connectionString: testServices().databaseUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
});
afterEach(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
  rmSync(folder, { recursive: true });
});

function databaseUrl(database: string): string {
  return Object.assign(new URL(testServices().databaseUrl), { pathname: `/${database}` }).href;
}

/** Puts a migration into the folder. */
function write(migration: string, sql: string): void {
  mkdirSync(path.join(folder, migration), { recursive: true });
  writeFileSync(path.join(folder, migration, 'migration.sql'), sql);
}

const apply = (options: Partial<MigrationOptions> = {}) =>
  applyMigrations({
    url,
    folder,
    report: (line) => lines.push(line),
    tell: (line) => lines.push(line),
    ...options,
  });

/** Runs work on a session of its own; the session's transaction ends with it. */
async function inSession<T>(work: (client: pg.Client) => Promise<T>, database = name): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const query = async (text: string, database = name) =>
  (await inSession((client) => client.query<Record<string, unknown>>(text), database)).rows;

const COLUMNS =
  'checksum, migration_name, logs, rolled_back_at, applied_steps_count, finished_at >= started_at AS ended';
const listRows = (database = name) =>
  query(`SELECT ${COLUMNS} FROM _prisma_migrations ORDER BY migration_name, rolled_back_at`, database);
const listApplied = async () => (await listRows()).map(({ migration_name: applied }) => applied);
const hasTable = async (table: string) =>
  (await query(`SELECT to_regclass('${table}') IS NOT NULL AS there`))[0]?.there;

/** Waits until a migration waits for a lock in this database. */
const waitUntilBlocked = () =>
  eventually(async () => {
    const blocked = await query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`,
    );
    if (blocked.length === 0) {
      throw new Error('nothing waits for a lock');
    }
  });

function prismaDeploy(database: string): string {
  return execFileSync(path.join(repositoryRoot(), 'node_modules/.bin/prisma'), ['migrate', 'deploy'], {
    cwd: repositoryRoot(),
    env: { ...process.env, DATABASE_URL: databaseUrl(database), PRISMA_HIDE_UPDATE_MESSAGE: '1' },
    encoding: 'utf8',
  });
}

describe('migrations', () => {
  test("a migrated database has the table, rows and checksums that Prisma's own command writes, and that command finds nothing to do", async () => {
    const theirs = `${name}_prisma`;
    await admin.query(`CREATE DATABASE ${theirs}`);
    try {
      cpSync(PRODUCT, folder, { recursive: true });
      const applied = await apply();
      prismaDeploy(theirs);
      // Prisma's command does not know that one of them stands in the place of others.
      const all = await listRows();
      const rows = all.filter(({ migration_name: one }) => applied.includes(String(one)));
      expect(rows.map(({ migration_name: applied }) => applied)).toEqual(applied);
      expect(rows).toEqual(await listRows(theirs));
      const columns = `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
        FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`;
      expect(await query(columns)).toEqual(await query(columns, theirs));
      expect(prismaDeploy(name)).toContain('No pending migrations to apply');
      expect(await listRows()).toEqual(all);
      expect(await apply()).toEqual([]);
    } finally {
      await admin.query(`DROP DATABASE ${theirs} WITH (FORCE)`);
    }
  });

  test('a migration that deadlocks with a request is undone and applied again', async () => {
    write('1_first', 'CREATE TABLE a (); CREATE TABLE b ();');
    await apply();
    write('2_second', 'ALTER TABLE a ADD x int; ALTER TABLE b ADD x int;');
    const applied = await inSession(async (request) => {
      // The migration finds the deadlock, since the request would look for it later.
      await request.query(`SET deadlock_timeout = '20s'; BEGIN; LOCK TABLE b IN ROW SHARE MODE`);
      const migrating = apply({ lockTimeoutMs: 30_000 });
      await waitUntilBlocked();
      await request.query('LOCK TABLE a IN ROW SHARE MODE');
      await request.query('COMMIT');
      return migrating;
    });
    expect(applied).toEqual(['2_second']);
    expect(lines).toContainEqual(expect.stringMatching(/2_second .*40P01/));
    expect(await listApplied()).toEqual(['1_first', '2_second']);
  });

  test('a migration waits only shortly for a lock, lets requests pass that queued behind it, and tries again', async () => {
    write('1_first', 'CREATE TABLE a ();');
    await apply();
    write('2_second', 'ALTER TABLE a ADD x int;');
    const applied = await inSession(async (backup) => {
      await backup.query('BEGIN; LOCK TABLE a IN ACCESS SHARE MODE');
      const migrating = apply({ lockTimeoutMs: 200 });
      await waitUntilBlocked();
      // Queues behind the migration, and is served although the lock before it is held on.
      await query(`SET lock_timeout = '2s'; SELECT * FROM a`);
      await eventually(() => expect(lines).toContainEqual(expect.stringContaining('55P03')));
      await backup.query('COMMIT');
      return migrating;
    });
    expect(applied).toEqual(['2_second']);
  });

  test('a migration that never gets its locks says so, and changes nothing', async () => {
    write('1_first', 'CREATE TABLE a ();');
    await apply();
    write('2_second', 'CREATE TABLE b (); ALTER TABLE a ADD x int;');
    await inSession(async (backup) => {
      await backup.query('BEGIN; LOCK TABLE a IN ACCESS SHARE MODE');
      await expect(apply({ lockTimeoutMs: 50, timeoutMs: 300 })).rejects.toThrow(
        /2_second did not get its locks/,
      );
    });
    expect(await hasTable('b')).toBe(false);
    expect(await apply()).toEqual(['2_second']);
  });

  test('a migration that fails for good leaves a database on which the next run goes on', async () => {
    write('1_first', 'CREATE TABLE a ();');
    write('2_second', 'CREATE TABLE b ();\nALTER TABLE missing ADD x int;');
    await expect(apply()).rejects.toThrow(/2_second failed: relation "missing" does not exist/);
    expect([await listApplied(), await hasTable('b')]).toEqual([['1_first'], false]);
    write('2_second', 'CREATE TABLE b ();');
    write('3_third', 'CREATE TABLE c ();');
    expect(await apply()).toEqual(['2_second', '3_third']);
  });

  test('programs that migrate at the same time apply each migration once, also the first one', async () => {
    cpSync(PRODUCT, folder, { recursive: true });
    const runs = await Promise.all([apply(), apply(), apply()]);
    const rows = await listApplied();
    expect(new Set(rows).size).toBe(rows.length);
    expect(runs.flat().sort()).toEqual(readdirSync(PRODUCT).filter((one) => /^\d/.test(one)));
    expect(rows).toEqual(expect.arrayContaining(runs.flat()));
  });

  test('a migration takes longer than the statement timeout of its role', async () => {
    const role = `role_${name}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT ALL ON DATABASE ${name} TO ${role};
      ALTER ROLE ${role} IN DATABASE ${name} SET statement_timeout = '50ms'`);
    await query(`GRANT ALL ON SCHEMA public TO ${role}`);
    try {
      write('1_first', 'CREATE TABLE a (); SELECT pg_sleep(0.3);');
      const owner = Object.assign(new URL(url), { username: role, password: 'secret' }).href;
      expect(await apply({ url: owner })).toEqual(['1_first']);
    } finally {
      await query(`DROP OWNED BY ${role}`);
      await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  test('a migration that a former release left half-way is named with the command that mends it', async () => {
    write('1_first', 'CREATE TABLE a ();');
    write('2_second', 'CREATE TABLE b ();');
    await apply();
    // As Prisma's command leaves a migration that PostgreSQL ended in a deadlock.
    await query(`DROP TABLE b; UPDATE _prisma_migrations SET finished_at = NULL, applied_steps_count = 0,
      logs = 'deadlock detected' WHERE migration_name = '2_second'`);
    const error: unknown = await apply().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).publicMessage).toMatch(
      /2_second .*deadlock detected.*npm run gateway -- migrate --rolled-back 2_second$/,
    );
    await expect(apply({ rolledBack: '1_first' })).rejects.toThrow(/nothing to mark/);
    expect(await apply({ rolledBack: '2_second' })).toEqual(['2_second']);
    expect(await listApplied()).toEqual(['1_first', '2_second', '2_second']);
  });

  test('a database with tables of something else is refused, and one that does not exist is created', async () => {
    write('1_first', 'CREATE TABLE a ();');
    await query('CREATE TABLE others ()');
    await expect(apply()).rejects.toThrow(/tables of something else \(others\)/);
    expect(await hasTable('a')).toBe(false);
    await admin.query(`DROP DATABASE ${name}`);
    expect((await Promise.all([apply(), apply()])).flat()).toEqual(['1_first']);
  });
});
