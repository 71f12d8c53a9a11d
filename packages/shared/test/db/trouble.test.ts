import type { Database } from '@image-gateway/shared/db';
import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { getOutcome, OVERLOAD, useDatabaseBehindRelay } from './behind-relay.js';

const behind = useDatabaseBehindRelay('trouble');
const run = (db: Database, text: string) => db.run({ name: `test ${text}`, text }, []);
const DOWN = ['INTERNAL_ERROR', undefined];

describe('a database that lives', () => {
  test('a database that lives and answered in time is believed, although this process was too busy to read it', async () => {
    // Not over the relay, which lives in this process too.
    const db = await behind.reach({ url: behind.test().url });
    const answer = run(db, 'SELECT 1 AS one');
    // The statement is sent in a later turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + 1_500;
    while (performance.now() < until) {}
    expect(await answer).toEqual([{ one: 1 }]);
  });

  test('a database that lives takes too long for a statement: overload', async () => {
    const db = await behind.reach();
    expect(await getOutcome(run(db, 'SELECT pg_sleep(5)'))).toEqual(OVERLOAD);
    expect(await getOutcome(run(db, 'SELECT 1'))).toBe('answered');
  });

  test('a database that lives does not give a lock in time: overload', async () => {
    const db = await behind.reach({ statementTimeoutMs: 4_000 });
    const holder = await behind.test().pool.connect();
    await holder.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
    expect(await getOutcome(run(db, 'SELECT count(*) FROM accounts'))).toEqual(OVERLOAD);
    await holder.query('ROLLBACK');
    holder.release();
  });

  test('a database that lives has no room for a place among the connections: overload', async () => {
    const db = await behind.reach({ max: 1, maxWaitMs: 50, statementTimeoutMs: 1_000 });
    const first = getOutcome(run(db, 'SELECT pg_sleep(0.3)'));
    expect(await getOutcome(run(db, 'SELECT 1'))).toEqual(OVERLOAD);
    expect(await first).toBe('answered');
  });

  test('a database that lives cuts a session: what ran there was lost for the moment, and nothing else', async () => {
    const db = await behind.reach({ statementTimeoutMs: 5_000 });
    const cut = getOutcome(run(db, 'SELECT pg_sleep(4)'));
    await eventually(async () => {
      const { rowCount } = await behind
        .test()
        .pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(4)%' AND application_name = 'trouble'`,
        );
      expect(rowCount).toBe(1);
    });
    expect(await cut).toEqual(OVERLOAD);
    expect(await getOutcome(run(db, 'SELECT 1'))).toBe('answered');
  });

  test('over a connection that somebody in between has forgotten: lost for the moment', async () => {
    const db = await behind.reach();
    behind.relay().forget();
    expect(await getOutcome(run(db, 'SELECT 1'))).toEqual(OVERLOAD);
    expect(await getOutcome(run(db, 'SELECT 1'))).toBe('answered');
  });

  test('a database that lives has no disk for a write: overload, which the next looks tell with the remedy', async () => {
    const db = await behind.reach();
    await db.ping();
    const full = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`;
    expect(await getOutcome(run(db, full))).toEqual(OVERLOAD);
    await expect(db.ping()).rejects.toMatchObject({
      name: 'UnusableServiceError',
      publicMessage: expect.stringContaining('Free or add disk space on the database server.'),
    });
    expect(await getOutcome(run(db, 'SELECT 1'))).toBe('answered');
  });

  test('a database that lives refuses a statement: our own fault, and the connection is kept', async () => {
    const db = await behind.reach({ max: 1 });
    const [before] = await db.run<{ pid: number }>(
      { name: 'pid', text: 'SELECT pg_backend_pid() AS pid' },
      [],
    );
    expect(await getOutcome(run(db, 'SELECT 1/0'))).toEqual(DOWN);
    expect(await db.run({ name: 'pid', text: 'SELECT pg_backend_pid() AS pid' }, [])).toEqual([before]);
  });
});

describe('a database that is away', () => {
  test('silent: all who wait are told so, well before a request has to be answered', async () => {
    const db = await behind.reach({ max: 2, statementTimeoutMs: 2_000, connectTimeoutMs: 2_000 });
    behind.relay().fallSilent();
    const begun = performance.now();
    const all = Array.from({ length: 20 }, () => getOutcome(run(db, 'SELECT 1')));
    expect(await Promise.all(all)).toEqual(all.map(() => DOWN));
    expect(await getOutcome(run(db, 'SELECT 1'))).toEqual(DOWN);
    expect(performance.now() - begun).toBeLessThan(5_800);
  });

  test('gone: all are told so at once', async () => {
    const db = await behind.reach();
    await behind.relay().close();
    const begun = performance.now();
    const all = Array.from({ length: 20 }, () => getOutcome(run(db, 'SELECT 1')));
    expect(await Promise.all(all)).toEqual(all.map(() => DOWN));
    expect(performance.now() - begun).toBeLessThan(1_500);
  });
});
