import { createDatabase, type Database, type DatabaseOptions } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import {
  createTestDatabase,
  eventually,
  type Relay,
  startRelay,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let test_: TestDatabase;
let relay: Relay;
const open: Database[] = [];

beforeAll(async () => {
  test_ = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()));
  await relay.close();
});
afterAll(() => test_.close());

/** A database behind a relay, that is waited for as long as a test likes. */
async function reach(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  relay = await startRelay(test_.url);
  const db = createDatabase({
    url: relay.url,
    applicationName: 'trouble',
    statementTimeoutMs: 300,
    connectTimeoutMs: 800,
    ...options,
  });
  open.push(db);
  await db.ping();
  return db;
}
const run = (db: Database, text: string) => db.run({ name: `test ${text}`, text }, []);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof AppError ? [error.code, error.retryAfterSeconds] : String(error)),
  );
const OVERLOAD = ['SERVICE_UNAVAILABLE', 1];
const DOWN = ['INTERNAL_ERROR', undefined];

describe('a database that lives', () => {
  test('and answered in time is believed, although this process was too busy to read it', async () => {
    // Not over the relay, which lives in this process too.
    const db = await reach({ url: test_.url });
    const answer = run(db, 'SELECT 1 AS one');
    // The statement is sent in a later turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + 1_500;
    while (performance.now() < until);
    expect(await answer).toEqual([{ one: 1 }]);
  });

  test('takes too long for a statement: overload', async () => {
    const db = await reach();
    expect(await codeOf(run(db, 'SELECT pg_sleep(5)'))).toEqual(OVERLOAD);
    expect(await codeOf(run(db, 'SELECT 1'))).toBe('answered');
  });

  test('does not give a lock in time: overload', async () => {
    const db = await reach({ lockTimeoutMs: 100 });
    const holder = await test_.pool.connect();
    await holder.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
    expect(await codeOf(run(db, 'SELECT count(*) FROM accounts'))).toEqual(OVERLOAD);
    await holder.query('ROLLBACK');
    holder.release();
  });

  test('has no room for a place among the connections: overload', async () => {
    const db = await reach({ max: 1, placeTimeoutMs: 50, statementTimeoutMs: 1_000 });
    const first = codeOf(run(db, 'SELECT pg_sleep(0.3)'));
    expect(await codeOf(run(db, 'SELECT 1'))).toEqual(OVERLOAD);
    expect(await first).toBe('answered');
  });

  test('cuts a session: what ran there was lost for the moment, and nothing else', async () => {
    const db = await reach({ statementTimeoutMs: 5_000 });
    const cut = codeOf(run(db, 'SELECT pg_sleep(4)'));
    await eventually(async () => {
      const { rowCount } = await test_.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(4)%' AND application_name = 'trouble'`,
      );
      expect(rowCount).toBe(1);
    });
    expect(await cut).toEqual(OVERLOAD);
    expect(await codeOf(run(db, 'SELECT 1'))).toBe('answered');
  });

  test('over a connection that somebody in between has forgotten: lost for the moment', async () => {
    const db = await reach();
    relay.forget();
    expect(await codeOf(run(db, 'SELECT 1'))).toEqual(OVERLOAD);
    expect(await codeOf(run(db, 'SELECT 1'))).toBe('answered');
  });

  test('refuses a statement: our own fault, and the connection is kept', async () => {
    const db = await reach({ max: 1 });
    const [before] = await db.run<{ pid: number }>(
      { name: 'pid', text: 'SELECT pg_backend_pid() AS pid' },
      [],
    );
    expect(await codeOf(run(db, 'SELECT 1/0'))).toEqual(DOWN);
    expect(await db.run({ name: 'pid', text: 'SELECT pg_backend_pid() AS pid' }, [])).toEqual([before]);
  });
});

describe('a database that is away', () => {
  test('silent: all who wait are told so, well before a request has to be answered', async () => {
    const db = await reach({ max: 2, statementTimeoutMs: 2_000, connectTimeoutMs: 2_000 });
    relay.fallSilent();
    const begun = performance.now();
    const all = Array.from({ length: 20 }, () => codeOf(run(db, 'SELECT 1')));
    expect(await Promise.all(all)).toEqual(all.map(() => DOWN));
    expect(await codeOf(run(db, 'SELECT 1'))).toEqual(DOWN);
    expect(performance.now() - begun).toBeLessThan(5_800);
  });

  test('gone: all are told so at once', async () => {
    const db = await reach();
    await relay.close();
    const begun = performance.now();
    const all = Array.from({ length: 20 }, () => codeOf(run(db, 'SELECT 1')));
    expect(await Promise.all(all)).toEqual(all.map(() => DOWN));
    expect(performance.now() - begun).toBeLessThan(500);
  });
});
