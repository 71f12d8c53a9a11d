import {
  createDatabase,
  type Database,
  type DatabaseOptions,
  SESSION_DEFAULTS,
  setSessionDefaults,
} from '@image-gateway/shared/db';
import { createTestDatabase, eventually, type TestDatabase } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { getOutcome, OVERLOAD } from './behind-relay.js';

let database: TestDatabase;
const open: Database[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
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
    await alterRole('RESET ALL');
    await alterRole("SET statement_timeout TO '7s'");
    await Promise.all([setSessionDefaults(database.url), setSessionDefaults(database.url)]);
    expect(await run(reach(), SHOW)).toEqual([
      {
        statement_timeout: '7s',
        lock_timeout: '1800ms',
        idle_in_transaction_session_timeout: '10s',
        TimeZone: 'UTC',
        jit: 'off',
      },
    ]);
  });

  test('a role without limits: the client ends a statement that is over its time, on the server too', async () => {
    await alterRole('RESET ALL');
    const db = reach({ statementTimeoutMs: 300 });
    const begun = performance.now();
    expect(await getOutcome(run(db, 'SELECT pg_sleep(60)'))).toEqual(OVERLOAD);
    expect(performance.now() - begun).toBeLessThan(1_500);
    await untilIdle();
  });

  test('a statement that was ended takes its connection along, so that a late cancellation meets nothing else', async () => {
    await alterRole('RESET ALL');
    const db = reach({ statementTimeoutMs: 300 });
    const pid = 'SELECT pg_backend_pid() AS pid';
    const [before] = await run<{ pid: number }>(db, pid);
    await getOutcome(run(db, 'SELECT pg_sleep(60)'));
    expect(await run<{ pid: number }>(db, pid)).not.toEqual([before]);
  });

  test('statements of a pool with more time than the role allows get that time', async () => {
    await alterRole('RESET ALL');
    await setSessionDefaults(database.url);
    await alterRole("SET statement_timeout TO '200ms'");
    expect(await getOutcome(run(reach({ statementTimeoutMs: 60_000 }), 'SELECT pg_sleep(0.5)'))).toBe(
      'answered',
    );
    expect(await getOutcome(run(reach(), 'SELECT pg_sleep(0.5)'))).toEqual(OVERLOAD);
  });
});
