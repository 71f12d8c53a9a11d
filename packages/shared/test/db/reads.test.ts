import { createReads, type Reads, type Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { createTestDatabase, type Relay, startRelay, type TestDatabase } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
let relay: Relay;
const open: Reads[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((reads) => reads.close()));
  await relay.close();
});
afterAll(() => database.close());

/** Opens reads over a relay, with the limits of the API unless others are given. */
async function openReads(limits: { statementTimeoutMs?: number; maxWaitMs?: number } = {}): Promise<Reads> {
  relay = await startRelay(database.url);
  const reads = createReads({
    url: relay.url,
    applicationName: 'reads',
    connections: 3,
    connectionsPerAccount: 2,
    maxWaiting: 1_000,
    maxWaitMs: 10_000,
    statementTimeoutMs: 5_000,
    ...limits,
  });
  open.push(reads);
  await reads.ofAccount('warm').run(SELECT_ONE, []);
  return reads;
}

const SELECT_ONE: Statement = { name: 'one', text: 'SELECT 1 AS one' };
const SLEEP: Statement = { name: 'sleep', text: 'SELECT pg_sleep($1::float8)' };

/** Resolves to `answered`, or to the code and the message for the caller. */
const getOutcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof AppError ? [error.code, error.publicMessage] : String(error)),
  );
const PLAIN = ['SERVICE_UNAVAILABLE', 'This could not be read in time. Try again in a moment.'];
const DOWN = ['INTERNAL_ERROR', 'Something went wrong on our side. Try again in a moment.'];

describe('reads that wait and take long', () => {
  test('a wait does not shorten the time of the statement', async () => {
    const reads = await openReads({ statementTimeoutMs: 400 });
    const db = reads.ofAccount('a');
    const all = Array.from({ length: 8 }, (_, i) => getOutcome(db.run(SLEEP, [0.25 + i / 1_000])));
    expect(await Promise.all(all)).toEqual(all.map(() => 'answered'));
  });

  test('a statement that takes too long is answered with what makes it shorter, where something does', async () => {
    const reads = await openReads({ statementTimeoutMs: 200 });
    const db = reads.ofAccount('a');
    expect(await getOutcome(db.run({ ...SLEEP, narrowBy: 'from and to' }, [2]))).toEqual([
      'SERVICE_UNAVAILABLE',
      'This could not be read in time. Ask for less with from and to, or try again in a moment.',
    ]);
    expect(await getOutcome(db.run(SLEEP, [2]))).toEqual(PLAIN);
  });

  test('a statement that waits for a lock is answered without advice: a shorter span waits as long', async () => {
    const db = (await openReads()).ofAccount('a');
    const holder = await database.pool.connect();
    await holder.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
    const locked = { name: 'locked', text: 'SELECT count(*) FROM accounts', narrowBy: 'from and to' };
    expect(await getOutcome(db.run(locked, []))).toEqual(PLAIN);
    await holder.query('ROLLBACK');
    holder.release();
  });

  test('a wait that takes too long says so, without advice', async () => {
    const reads = await openReads({ maxWaitMs: 300 });
    const db = reads.ofAccount('a');
    const slow = [1, 1.1].map((seconds) => getOutcome(db.run(SLEEP, [seconds])));
    expect(await getOutcome(db.run({ ...SELECT_ONE, narrowBy: 'from and to' }, []))).toEqual([
      'SERVICE_UNAVAILABLE',
      'This could not be read in time: too many reads are waiting. Try again in a moment.',
    ]);
    expect(await getOutcome(reads.ofAccount('b').run(SELECT_ONE, []))).toBe('answered');
    expect(await Promise.all(slow)).toEqual(['answered', 'answered']);
  });

  test('reads of no account leave connections to accounts', async () => {
    const reads = await openReads({ maxWaitMs: 500 });
    const slow = [1, 1.1, 1.2].map((seconds) => getOutcome(reads.database.run(SLEEP, [seconds])));
    expect(await getOutcome(reads.ofAccount('a').run(SELECT_ONE, []))).toBe('answered');
    const outcomes = await Promise.all(slow);
    expect(outcomes.slice(0, 2)).toEqual(['answered', 'answered']);
  });
});

describe('a database that is away', () => {
  test('silent: reads that run and reads that wait are told so within 6 s', async () => {
    const reads = await openReads();
    const begun = performance.now();
    relay.fallSilent();
    const all = Array.from({ length: 40 }, (_, i) =>
      getOutcome(reads.ofAccount(`account ${i % 5}`).run(SLEEP, [i / 1_000])),
    );
    expect(await Promise.all(all)).toEqual(all.map(() => DOWN));
    expect(performance.now() - begun).toBeLessThan(5_800);
    const again = performance.now();
    expect(await getOutcome(reads.ofAccount('a').run(SELECT_ONE, []))).toEqual(DOWN);
    expect(performance.now() - again).toBeLessThan(5_800);
  });

  test('gone: all are told so at once', async () => {
    const reads = await openReads();
    await relay.close();
    const begun = performance.now();
    const all = Array.from({ length: 40 }, (_, i) =>
      getOutcome(reads.ofAccount(`account ${i % 5}`).run(SLEEP, [i / 1_000])),
    );
    expect(await Promise.all(all)).toEqual(all.map(() => DOWN));
    expect(performance.now() - begun).toBeLessThan(1_500);
  });
});
