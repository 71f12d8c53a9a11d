import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { getOutcome, OVERLOAD, useDatabaseBehindRelay } from './behind-relay.js';

const behind = useDatabaseBehindRelay('prisma-trouble');

/** Locks the accounts while `work` runs. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const holder = await behind.test().pool.connect();
  await holder.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
  try {
    await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

describe('an overloaded database, asked by Prisma', () => {
  test.each([
    ['gives no lock in time', { statementTimeoutMs: 4_000 }],
    ['takes too long', { statementTimeoutMs: 300 }],
  ])('%s', async (_what, options) => {
    const db = await behind.reach(options);
    await whileLocked(async () => expect(await getOutcome(db.prisma.account.findMany())).toEqual(OVERLOAD));
    expect(await getOutcome(db.prisma.account.findMany())).toBe('answered');
  });

  test('an overloaded database, asked by Prisma has no place among the connections, whose own timeout is shorter', async () => {
    const options = { max: 1, connectTimeoutMs: 100, maxWaitMs: 300, statementTimeoutMs: 1_000 };
    const db = await behind.reach(options);
    await whileLocked(async () => {
      const first = getOutcome(db.prisma.account.findMany());
      expect(await getOutcome(db.prisma.authUser.findMany())).toEqual(OVERLOAD);
      expect(await first).toEqual(OVERLOAD);
    });
  });

  test('an overloaded database, asked by Prisma has places again soon enough: those who wait are answered', async () => {
    const db = await behind.reach({ max: 1, connectTimeoutMs: 100, statementTimeoutMs: 2_000 });
    const busy = db.run({ name: 'busy', text: 'SELECT pg_sleep(0.5)' }, []);
    expect(await getOutcome(db.prisma.account.findMany())).toBe('answered');
    await busy;
  });

  test('an overloaded database, asked by Prisma cuts a session', async () => {
    const db = await behind.reach({ statementTimeoutMs: 5_000 });
    await whileLocked(async () => {
      const cut = getOutcome(db.prisma.account.findMany());
      await eventually(async () => {
        const { rowCount } = await behind
          .test()
          .pool.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'prisma-trouble' AND wait_event_type = 'Lock'`,
          );
        expect(rowCount).toBe(1);
      });
      expect(await cut).toEqual(OVERLOAD);
    });
  });

  test('over a connection that somebody in between has forgotten', async () => {
    const db = await behind.reach();
    behind.relay().forget();
    expect(await getOutcome(db.prisma.account.findMany())).toEqual(OVERLOAD);
  });
});

describe('Prisma itself', () => {
  test('Prisma itself says in its own words what it refuses', async () => {
    const db = await behind.reach();
    await expect(db.prisma.account.findUniqueOrThrow({ where: { id: 'acc_none' } })).rejects.toMatchObject({
      name: 'PrismaClientKnownRequestError',
      code: 'P2025',
    });
  });

  test('Prisma itself is not told to come back to a database that is away', async () => {
    const db = await behind.reach();
    await behind.relay().close();
    expect(await getOutcome(db.prisma.account.findMany())).toEqual(expect.stringMatching(/connect|ECONN/i));
  });
});
