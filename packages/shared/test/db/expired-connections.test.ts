import { createTestDatabase, eventually, type TestDatabase } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
afterEach(() => database.close());

const readPid = async (): Promise<number | undefined> => {
  const statement = { name: 'pid', text: 'SELECT pg_backend_pid() AS pid' };
  return (await database.db.run<{ pid: number }>(statement, []))[0]?.pid;
};
const getName = (): string => new URL(database.url).pathname.slice(1);
const setReadOnly = (state: 'on' | 'off') =>
  database.pool.query(
    `BEGIN READ WRITE; ALTER DATABASE ${getName()} SET default_transaction_read_only = ${state}; COMMIT`,
  );
const write = { name: 'write', text: 'UPDATE accounts SET email = email' };

describe('connections', () => {
  test('connections have a longest life', async () => {
    database = await createTestDatabase({ max: 1, maxLifetimeMs: 2_000 });
    const first = await readPid();
    expect(await readPid()).toBe(first);
    await eventually(async () => expect(await readPid()).not.toBe(first));
  });

  test('connections that cannot write are dropped, all of them, also those that Prisma uses', async () => {
    database = await createTestDatabase({ max: 4 });
    const { db } = database;
    await setReadOnly('on');
    // Four sessions at a time, which read without complaint.
    const sleep = { name: 'sleep', text: 'SELECT pg_sleep(0.2)' };
    await Promise.all(Array.from({ length: 4 }, () => db.run(sleep, [])));
    await setReadOnly('off');
    await expect(db.run(write, [])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const results = await Promise.allSettled([
      ...Array.from({ length: 8 }, () => db.run(write, [])),
      db.prisma.account.updateMany({ data: { status: 'active' } }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(9).fill('fulfilled'));
  });

  test('connections that cannot write are dropped when Prisma finds out, which tells of an overloaded database', async () => {
    database = await createTestDatabase({ max: 1 });
    const { db } = database;
    await setReadOnly('on');
    await db.ping().catch(() => undefined);
    await readPid();
    await setReadOnly('off');
    const update = () => db.prisma.account.updateMany({ data: { status: 'active' } });
    await expect(update()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await eventually(async () => expect(await update()).toEqual({ count: 0 }));
  });

  test('connections that cannot write fail a ping, and a ping finds out that they can again', async () => {
    database = await createTestDatabase({ max: 2 });
    await setReadOnly('on');
    await expect(database.db.ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await setReadOnly('off');
    await eventually(() => database.db.ping());
  });
});
