import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settleTask } from '@image-gateway/shared/billing';
import { refuseUnusableDatabase, setTaskAside } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createObjectStore } from '@image-gateway/shared/storage';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  createTestTask,
  reportWorker,
  type TestDatabase,
  testBucket,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { DoctorCheck } from './support/doctor-check.js';
import { gateway } from './support/gateway.js';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  const bucket = testBucket();
  const store = createObjectStore(bucket);
  await store.ensureBucket();
  store.close();
  env = {
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
  };
  await reportWorker(database, {});
});
afterAll(() => database.close());

const examine = async (changed: Record<string, string> = {}) => {
  const { code, value } = await runCommand<{ checks: DoctorCheck[] }>(
    { env: { ...env, ...changed } },
    'doctor',
  );
  return { code, value, faults: value.checks.filter(({ level }) => level === 'fault') };
};

describe('the doctor', () => {
  test('the doctor finds nothing wrong with services that are as they should be', async () => {
    const { code, value, faults } = await examine();
    expect(faults).toEqual([]);
    expect(code).toBe(0);
    const parts = new Set(value.checks.map(({ part }) => part));
    for (const part of [
      'settings',
      'PostgreSQL',
      'clocks',
      'migrations',
      'Redis',
      'object store',
      'tasks',
      'webhooks',
      'connections',
    ]) {
      expect(parts).toContain(part);
    }
  });

  test('the doctor warns of a credit for sign-ups that nobody confirms by mail, where a provider costs money', async () => {
    const given = { ALLOW_SIGNUP: 'true', SIGNUP_CREDIT: '0.50' };
    const paid = { ...given, GEMINI_API_KEY: 'k', GEMINI_BASE_URL: 'http://127.0.0.1:1' };
    const warned = async (changed: Record<string, string>): Promise<boolean> =>
      (await examine(changed)).value.checks.some(
        ({ part, level, mend }) => part === 'sign-up' && level === 'warning' && mend.includes('SMTP_URL'),
      );
    expect(await warned(paid)).toBe(true);
    expect(await warned({ ...given, PROVIDERS: 'sandbox' })).toBe(false);
    expect(await warned({ ...paid, SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' })).toBe(false);
    expect(await warned({ ...paid, SIGNUP_CREDIT: '0' })).toBe(false);
  });

  test('the doctor names each service that is away, with what to do, and exits with 1', async () => {
    const away = {
      DATABASE_URL: 'postgresql://127.0.0.1:1/x',
      REDIS_URL: 'redis://127.0.0.1:1',
      S3_ENDPOINT: 'http://127.0.0.1:1',
    };
    const { code, value, faults } = await examine(away);
    expect([code, faults.map(({ part }) => part).sort()]).toEqual([
      1,
      ['PostgreSQL', 'Redis', 'object store'],
    ]);
    expect(faults.every((fault) => fault.mend !== '')).toBe(true);
    expect(value.error?.message).toBe('There are 3 faults.');
  });

  test('the doctor says whether the role has the limits of sessions, and how it gets them', async () => {
    const look = async () =>
      (await examine()).value.checks
        .filter(({ part }) => part === 'sessions')
        .map(({ level, seen }) => [level, seen]);
    const alter = (change: string) =>
      database.pool.query(
        `DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I ${change}', current_user, current_database()); END $$`,
      );
    expect(await look()).toEqual([['ok', expect.stringContaining('statements end after 5 s')]]);
    await alter("SET statement_timeout TO ''7s''");
    expect(await look()).toEqual([['ok', expect.stringContaining('statements end after 7 s')]]);
    await alter("SET TimeZone TO ''Asia/Tokyo''");
    expect((await examine()).faults).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          part: 'PostgreSQL',
          seen: 'cannot be used',
          mend: expect.stringMatching(/have TimeZone Asia\/Tokyo .* SET TimeZone TO 'UTC';/),
        }),
      ]),
    );
    await alter('RESET ALL');
    await alter("SET TimeZone TO ''UTC''");
    expect(await look()).toEqual([
      [
        'warning',
        expect.stringMatching(/has no statement_timeout, lock_timeout, .*end their statements themselves/),
      ],
    ]);
    await runCommand({ env }, 'migrate');
    expect(await look()).toEqual([['ok', expect.stringContaining('statements end after 5 s')]]);
  });

  test.each([
    ['https://x.example/img', 1],
    ['https://x.example/', 0],
    ['https://x.example', 0],
  ])('the doctor warns of a path in BASE_URL %s: %i times', async (BASE_URL, times) => {
    const { value } = await examine({ BASE_URL });
    const found = value.checks.filter(({ seen }) => seen.includes('has a path'));
    expect(found.map(({ part, level }) => [part, level])).toEqual(Array(times).fill(['settings', 'warning']));
  });

  test('the doctor names a session that holds rows of accounts, and how to end it', async () => {
    const account = await createTestAccount(database);
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [account.id]);
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { faults } = await examine();
    await holder.query('ROLLBACK');
    holder.release();
    expect(faults).toMatchObject([
      { part: 'locks', mend: expect.stringContaining(`SELECT pg_terminate_backend(${rows[0]?.pid})`) },
    ]);
    expect((await examine()).faults).toEqual([]);
  });

  test('the doctor names a database whose disk is full, which answers as if nothing were wrong', async () => {
    await database.pool.query(`
CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER fill_disk BEFORE INSERT ON auth_verifications FOR EACH ROW EXECUTE FUNCTION fill_disk()`);
    const { faults } = await examine();
    await database.pool.query('DROP TRIGGER fill_disk ON auth_verifications; DROP FUNCTION fill_disk');
    expect(faults).toMatchObject([{ part: 'PostgreSQL', mend: expect.stringContaining('add disk space') }]);
    expect((await examine()).faults).toEqual([]);
    expect((await database.pool.query('SELECT FROM auth_verifications')).rowCount).toBe(0);
  });

  test('the doctor, migrate and the start of a process name the tables that the role may not use, and what grants them', async () => {
    const role = `poor_${randomBytes(4).toString('hex')}`;
    await database.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'secret'];
    const rights = readFileSync(
      path.resolve(import.meta.dirname, '../../../../prisma/application-role.sql'),
      'utf8',
    );
    try {
      const poor = { DATABASE_URL: url.href };
      const start = () => refuseUnusableDatabase(url.href, { warn: jest.fn() });
      const remedy = { mend: expect.stringContaining(`-v role=${role} -f prisma/application-role.sql`) };
      expect((await examine(poor)).faults).toContainEqual(
        expect.objectContaining({ part: 'rights', ...remedy }),
      );
      await expect(start()).rejects.toThrow(/the role \w+ may not read and write .*application-role\.sql/);
      const migrated = await runCommand(
        { env: { ...env, ...poor, MIGRATION_DATABASE_URL: database.url } },
        'migrate',
      );
      expect(migrated).toMatchObject({
        code: 0,
        value: {
          missing_rights: { observed: expect.stringContaining(`the role ${role} may not read and write`) },
        },
      });
      await database.pool.query(
        rights.replaceAll(':"role"', role).replaceAll(':"DBNAME"', new URL(database.url).pathname.slice(1)),
      );
      await database.pool.query(
        'CREATE TABLE of_an_extension (); ALTER TABLE of_an_extension OWNER TO pg_monitor',
      );
      expect((await examine(poor)).faults).toEqual([]);
      await start();
    } finally {
      await database.pool.query(
        `DROP TABLE IF EXISTS of_an_extension; DROP OWNED BY ${role}; DROP ROLE ${role}`,
      );
    }
  });

  test('the doctor lists every setting that is missing or wrong', async () => {
    const { code, value } = await runCommand<{ checks: DoctorCheck[] }>(
      { env: { LEASE_MS: 'soon', TRUST_PROXY: 'foo', MAX_UPSTREAM_COST: '-1' } },
      'doctor',
    );
    const faults = value.checks.filter(({ level }) => level === 'fault');
    expect(code).toBe(1);
    const seen = faults.map((fault) => fault.seen.split(' ')[0]);
    expect(seen).toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'S3_ENDPOINT', 'LEASE_MS']));
    expect(seen).toEqual(expect.arrayContaining(['TRUST_PROXY', 'MAX_UPSTREAM_COST']));
  });

  test('the doctor warns of an API that listens on every address beside a trusted proxy, but in a container', async () => {
    const open = async (more: Record<string, string>) =>
      (await examine({ TRUST_PROXY: '1', ...more })).value.checks.filter(({ seen }) =>
        seen.startsWith('TRUST_PROXY'),
      );
    expect(await open({})).toMatchObject([{ level: 'warning', seen: expect.stringContaining('0.0.0.0') }]);
    expect(await open({ HOST: '127.0.0.1' })).toEqual([]);
    expect(await open({ CONTAINER: 'true' })).toEqual([]);
  });

  test('the doctor calls it a fault when no generation worker reports', async () => {
    await database.pool.query(`UPDATE worker_reports SET seen_at = now() - interval '2 minutes'`);
    const { code, faults } = await examine();
    await reportWorker(database, {});
    expect(code).toBe(1);
    expect(faults).toMatchObject([
      { part: 'workers', mend: expect.stringContaining('Start a generation worker') },
    ]);
  });

  test('the doctor warns of an account whose receivers take nothing, and calls it a fault when most are so', async () => {
    const receivers = async () =>
      (await examine()).value.checks.filter(({ part }) => part === 'receivers').map(({ level }) => level);
    const attempt = async (status: number | null) => {
      const account = await createTestAccount(database);
      const { id } = await createTestTask(database.db, account, {
        request: { webhook_url: 'http://hook.example/' },
      });
      await settleTask(
        { db: database.db, newId, fileUrl: 'http://files' },
        { taskId: id, attempt: 0, reason: 'x' },
      );
      await database.pool.query(
        'INSERT INTO webhook_attempts (delivery_id, attempt, status) SELECT id, 1, $2 FROM webhook_deliveries WHERE task_id = $1',
        [id, status],
      );
    };
    await attempt(null);
    expect(await receivers()).toEqual(['fault']);
    await attempt(200);
    expect(await receivers()).toEqual(['warning']);
    await database.pool.query('DELETE FROM webhook_attempts WHERE status IS NULL');
    expect(await receivers()).toEqual(['ok']);
  });

  test('the doctor sees a bucket that is missing, migrations that are missing and work that nobody takes', async () => {
    await database.pool.query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%link_mails'`);
    const waiting = await createTestTask(database.db, await createTestAccount(database));
    await database.pool.query(`UPDATE tasks SET due_at = now() - interval '5 minutes' WHERE id = $1`, [
      waiting.id,
    ]);
    const { faults } = await examine({ S3_BUCKET: 'no-such-bucket' });
    expect(faults.map(({ part }) => part).sort()).toEqual(['migrations', 'object store', 'tasks']);
    expect(faults.find(({ part }) => part === 'migrations')?.mend).toContain('npm run gateway -- migrate');
  });

  test('the doctor lists tasks that could not be ended, why, and what to do', async () => {
    const account = await createTestAccount(database);
    const { id } = await createTestTask(database.db, account);
    await setTaskAside(database.db, { taskId: id, error: 'lock timeout' });
    const { faults } = await examine();
    expect(faults).toContainEqual({
      part: 'set aside',
      level: 'fault',
      mend: expect.stringContaining('pg_stat_activity'),
      seen: `1 tasks could not be ended, among them ${id} of ${account.id} (1 times: lock timeout)`,
    });
  });

  test('the doctor warns when the processes that live may open more connections than the database has', async () => {
    const seen = async (pool: string) =>
      (await examine({ DATABASE_POOL: pool })).value.checks.find(({ part }) => part === 'connections');
    expect(await seen('1')).toMatchObject({ seen: expect.stringContaining('1 × generation worker with 1') });
    expect(await seen('5000')).toMatchObject({
      level: 'warning',
      mend: expect.stringContaining('DATABASE_POOL'),
    });
  });

  test('a log-in that Redis refuses is told as such, without the password', async () => {
    const url = new URL(env.REDIS_URL ?? '');
    url.username = 'nobody';
    url.password = 'wrong-secret';
    const { checks } = (await examine({ REDIS_URL: url.href })).value;
    const found = checks.find(({ part }) => part === 'Redis');
    expect(found).toMatchObject({
      level: 'fault',
      seen: expect.stringMatching(/^refuses the log-in \(WRONGPASS/),
      mend: expect.stringMatching(/^Correct user and password in REDIS_URL\./),
    });
    expect(JSON.stringify(checks)).not.toContain('wrong-secret');
  });

  test('the doctor tells people the same in words', async () => {
    const { stdout, code } = await gateway({ ...env, REDIS_URL: 'redis://127.0.0.1:1' }, 'doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAULT {4}Redis .*\n +→ Start it/);
  });
});
