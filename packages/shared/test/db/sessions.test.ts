import {
  createDatabase,
  type Database,
  type DatabaseOptions,
  refuseUnusableDatabase,
  SESSION_DEFAULTS,
  setSessionDefaults,
} from '@image-gateway/shared/db';
import { withPrisma } from '@image-gateway/shared/db/prisma';
import { type AppError, UnusableServiceError } from '@image-gateway/shared/errors';
import { createTestDatabase, eventually, type TestDatabase } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { getOutcome, OVERLOAD } from './behind-relay.js';

let database: TestDatabase;
const open: Database[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
const logger = { warn: jest.fn() };
afterEach(async () => {
  await resetRole();
  await Promise.all(open.splice(0).map((db) => db.close()));
});
afterAll(() => database.close());

function reach(options: Partial<DatabaseOptions> = {}): Database {
  const db = createDatabase({ url: database.url, applicationName: 'sessions', max: 1, ...options });
  open.push(db);
  return db;
}
const run = <Row>(db: Database, text: string) => db.run<Row>({ name: `test ${text}`, text }, []);
const alterRole = (change: string) =>
  database.pool.query(
    `DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I ${change.replaceAll("'", "''")}', current_user, current_database()); END $$`,
  );
// The zone of the machine is none of these tests' business.
const resetRole = async (): Promise<void> => {
  await alterRole('RESET ALL');
  await alterRole("SET TimeZone TO 'UTC'");
};
const SHOW = `SELECT ${SESSION_DEFAULTS.map(({ name }) => `current_setting('${name}') AS "${name}"`).join(', ')}`;

/** Resolves when no statement of this test runs on the server any more. */
const untilIdle = () =>
  eventually(
    async () => {
      const { rows } = await database.pool.query(
        `SELECT query FROM pg_stat_activity WHERE application_name = 'sessions' AND state <> 'idle' AND datname = current_database()`,
      );
      expect(rows).toEqual([]);
    },
    { timeoutMs: 5_000 },
  );

describe('sessions', () => {
  test('sessions have their settings from the role in the database, and keep the values that an operator gave it', async () => {
    await resetRole();
    await alterRole("SET statement_timeout TO '7s'");
    await Promise.all([setSessionDefaults(database.url), setSessionDefaults(database.url)]);
    expect(await run(reach(), SHOW)).toEqual([
      {
        statement_timeout: '7s',
        lock_timeout: '1800ms',
        idle_in_transaction_session_timeout: '10s',
        jit: 'off',
        DateStyle: 'ISO, MDY',
        TimeZone: 'UTC',
        default_transaction_isolation: 'read committed',
        standard_conforming_strings: 'on',
        session_replication_role: 'origin',
      },
    ]);
  });

  test.each([
    ['DateStyle', 'German'],
    ['DateStyle', 'SQL, DMY'],
    ['TimeZone', 'Asia/Tokyo'],
    ['standard_conforming_strings', 'off'],
    ['default_transaction_isolation', 'repeatable read'],
  ])(
    'a role with %s %s is refused by name, and gets the right value where it stands',
    async (name, value) => {
      await alterRole(`SET ${name} TO '${value}'`);
      await expect(refuseUnusableDatabase(database.url, logger)).rejects.toThrow(UnusableServiceError);
      const words = await reach()
        .ping()
        .catch((error: AppError) => error.publicMessage);
      expect(words).toContain(`${name} ${value}`);
      expect(words).toContain('npm run gateway -- migrate');
      expect(words).toMatch(new RegExp(`ALTER ROLE "\\w+" IN DATABASE "\\w+" SET ${name} TO '`));
      await setSessionDefaults(database.url);
      await refuseUnusableDatabase(database.url, logger);
      await reach().ping();
    },
  );

  test('a role whose triggers do not run is refused by name, and an administrator is told what to run', async () => {
    await alterRole('SET session_replication_role TO replica');
    await expect(refuseUnusableDatabase(database.url, logger)).rejects.toThrow(
      /session_replication_role replica \(counters .* SET session_replication_role TO 'origin';/,
    );
    await alterRole('RESET session_replication_role');
    await refuseUnusableDatabase(database.url, logger);
  });

  test('no statement runs in a session that writes times in another form, and sessions are renewed within seconds', async () => {
    const db = withPrisma(reach());
    await alterRole("SET DateStyle TO 'German'");
    const refused = { code: 'SERVICE_UNAVAILABLE', publicMessage: expect.not.stringContaining('DateStyle') };
    await expect(run(db, 'CREATE TABLE never_made ()')).rejects.toMatchObject(refused);
    await expect(db.prisma.account.count()).rejects.toMatchObject(refused);
    const { rows } = await database.pool.query(`SELECT to_regclass('never_made') AS made`);
    expect(rows).toEqual([{ made: null }]);
    await setSessionDefaults(database.url);
    await eventually(async () => expect(await run(db, 'SELECT 1 AS one')).toEqual([{ one: 1 }]));
    expect(await db.prisma.account.count()).toBe(0);
  });

  test.each(['timestamptz', 'timestamp', 'date'])(
    'a %s that cannot be read is an error, never null',
    async (type) => {
      const text = `SELECT now()::${type} AS time, set_config('DateStyle', 'German', true)`;
      await expect(run(reach(), text)).rejects.toMatchObject({
        code: 'INTERNAL_ERROR',
        message: expect.stringContaining('cannot be read'),
      });
      expect(await run(reach(), `SELECT NULL::${type} AS time`)).toEqual([{ time: null }]);
    },
  );

  test('a role without limits: the client ends a statement that is over its time, on the server too', async () => {
    await resetRole();
    const db = reach({ statementTimeoutMs: 300 });
    const begun = performance.now();
    expect(await getOutcome(run(db, 'SELECT pg_sleep(60)'))).toEqual(OVERLOAD);
    expect(performance.now() - begun).toBeLessThan(1_500);
    await untilIdle();
  });

  test('a statement that was ended takes its connection along, so that a late cancellation meets nothing else', async () => {
    await resetRole();
    const db = reach({ statementTimeoutMs: 300 });
    const pid = 'SELECT pg_backend_pid() AS pid';
    const [before] = await run<{ pid: number }>(db, pid);
    await getOutcome(run(db, 'SELECT pg_sleep(60)'));
    expect(await run<{ pid: number }>(db, pid)).not.toEqual([before]);
  });

  test('statements of a pool with more time than the role allows get that time', async () => {
    await resetRole();
    await setSessionDefaults(database.url);
    await alterRole("SET statement_timeout TO '200ms'");
    expect(await getOutcome(run(reach({ statementTimeoutMs: 60_000 }), 'SELECT pg_sleep(0.5)'))).toBe(
      'answered',
    );
    expect(await getOutcome(run(reach(), 'SELECT pg_sleep(0.5)'))).toEqual(OVERLOAD);
  });
});
