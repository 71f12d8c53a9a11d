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

async function reach(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  relay = await startRelay(test_.url);
  const more = { applicationName: 'prisma-trouble', statementTimeoutMs: 300, connectTimeoutMs: 800 };
  const db = createDatabase({ url: relay.url, ...more, ...options });
  open.push(db);
  await db.ping();
  return db;
}

/** Keeps everybody from the accounts while `work` goes on. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const holder = await test_.pool.connect();
  await holder.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
  try {
    await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof AppError ? [error.code, error.retryAfterSeconds] : 'its own'),
  );
const OVERLOAD = ['SERVICE_UNAVAILABLE', 1];

describe('an overloaded database, asked by Prisma', () => {
  test.each([
    ['gives no lock in time', { lockTimeoutMs: 100 }],
    ['takes too long', { lockTimeoutMs: 5_000 }],
  ])('%s', async (_what, options) => {
    const db = await reach(options);
    await whileLocked(async () => expect(await codeOf(db.prisma.account.findMany())).toEqual(OVERLOAD));
    expect(await codeOf(db.prisma.account.findMany())).toBe('answered');
  });

  test('has no place among the connections, whose own time-out is shorter', async () => {
    const options = { max: 1, connectTimeoutMs: 100, placeTimeoutMs: 300, statementTimeoutMs: 1_000 };
    const db = await reach({ ...options, lockTimeoutMs: 5_000 });
    await whileLocked(async () => {
      const first = codeOf(db.prisma.account.findMany());
      expect(await codeOf(db.prisma.authUser.findMany())).toEqual(OVERLOAD);
      expect(await first).toEqual(OVERLOAD);
    });
  });

  test('has places again soon enough: those who wait are answered', async () => {
    const db = await reach({ max: 1, connectTimeoutMs: 100, statementTimeoutMs: 2_000 });
    const busy = db.run({ name: 'busy', text: 'SELECT pg_sleep(0.5)' }, []);
    expect(await codeOf(db.prisma.account.findMany())).toBe('answered');
    await busy;
  });

  test('cuts a session', async () => {
    const db = await reach({ lockTimeoutMs: 5_000, statementTimeoutMs: 5_000 });
    await whileLocked(async () => {
      const cut = codeOf(db.prisma.account.findMany());
      await eventually(async () => {
        const { rowCount } = await test_.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'prisma-trouble' AND wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBe(1);
      });
      expect(await cut).toEqual(OVERLOAD);
    });
  });

  test('over a connection that somebody in between has forgotten', async () => {
    const db = await reach();
    relay.forget();
    expect(await codeOf(db.prisma.account.findMany())).toEqual(OVERLOAD);
  });
});

describe('Prisma itself', () => {
  test('says in its own words what it refuses', async () => {
    const db = await reach();
    await expect(db.prisma.account.findUniqueOrThrow({ where: { id: 'acc_none' } })).rejects.toMatchObject({
      name: 'PrismaClientKnownRequestError',
      code: 'P2025',
    });
  });

  test('is not told to come back to a database that is away', async () => {
    const db = await reach();
    await relay.close();
    expect(await codeOf(db.prisma.account.findMany())).toBe('its own');
  });
});
