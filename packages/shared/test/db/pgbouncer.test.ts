import { createDatabase } from '@image-gateway/shared/db';
import { type PrismaDatabase, withPrisma } from '@image-gateway/shared/db/prisma';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  findPgBouncer,
  type PgBouncer,
  startPgBouncer,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getOutcome, OVERLOAD } from './behind-relay.js';

const isInstalled = findPgBouncer() !== undefined;

// The modes differ in what a session keeps: everything, or nothing beyond a transaction.
describe.each(['session', 'transaction'] as const)('PgBouncer in %s mode', (mode) => {
  const testInstalled = isInstalled ? test : test.skip;
  let database: TestDatabase;
  let pooler: PgBouncer | undefined;
  const clients: PrismaDatabase[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    if (isInstalled) {
      pooler = await startPgBouncer(database.url, mode);
      const { url } = pooler;
      // Two processes, which share the pooler's sessions.
      for (const applicationName of ['one', 'two']) {
        clients.push(withPrisma(createDatabase({ url, applicationName, max: 8, statementTimeoutMs: 1_000 })));
      }
    }
  });
  afterAll(async () => {
    await Promise.all(clients.map((db) => db.close()));
    await pooler?.stop();
    await database.checkInvariants();
    await database.close();
  });
  const [one, two] = [() => clients[0] as PrismaDatabase, () => clients[1] as PrismaDatabase];

  testInstalled(`${mode} mode: sessions have the settings of the role`, async () => {
    const text = `SELECT current_setting('statement_timeout') AS timeout, current_setting('TimeZone') AS zone, current_setting('jit') AS jit`;
    expect(await one().run({ name: 'settings', text }, [])).toEqual([
      { timeout: '5s', zone: 'UTC', jit: 'off' },
    ]);
  });

  testInstalled(
    `${mode} mode: statements of two processes run through shared sessions, each one once`,
    async () => {
      const accounts = await Promise.all(Array.from({ length: 6 }, () => createTestAccount(database)));
      const submits = accounts.flatMap((account) =>
        Array.from({ length: 20 }, (_, i) => createTestTask(i % 2 ? one() : two(), account)),
      );
      const reads = Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? one() : two()).run<{ sum: number }>(
          { name: `read-${i % 7}`, text: `SELECT $1::int + ${i % 7} AS sum` },
          [i],
        ),
      );
      await Promise.all(submits);
      expect((await Promise.all(reads)).flat().map(({ sum }) => sum)).toEqual(
        reads.map((_, i) => i + (i % 7)),
      );
      const { rows } = await database.pool.query('SELECT count(*)::int AS tasks FROM tasks');
      expect(rows).toEqual([{ tasks: 120 }]);
    },
  );

  testInstalled(
    `${mode} mode: one name with two texts, as two releases have it, never runs the wrong text`,
    async () => {
      for (let i = 0; i < 20; i += 1) {
        const [a, b] = await Promise.all([
          one().run({ name: 'same', text: `SELECT 'old' AS said` }, []),
          two().run({ name: 'same', text: `SELECT 'new' AS said` }, []),
        ]);
        expect([a, b]).toEqual([[{ said: 'old' }], [{ said: 'new' }]]);
      }
    },
  );

  testInstalled(`${mode} mode: Prisma's client reads and writes`, async () => {
    const account = await createTestAccount(database);
    const found = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? one() : two()).prisma.account.findUnique({ where: { id: account.id } }),
      ),
    );
    expect(found.every((row) => row?.id === account.id)).toBe(true);
  });

  testInstalled(`${mode} mode: a statement over its time is ended on the server`, async () => {
    expect(await getOutcome(one().run({ name: 'long', text: 'SELECT pg_sleep(60)' }, []))).toEqual(OVERLOAD);
    await eventually(
      async () => {
        const { rows } = await database.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state <> 'idle' AND pid <> pg_backend_pid()`,
        );
        expect(rows).toEqual([]);
      },
      { timeoutMs: 5_000 },
    );
  });
});
