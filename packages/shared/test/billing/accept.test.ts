import {
  type AcceptDeps,
  type AcceptInput,
  acceptGeneration,
  settleTask,
} from '@image-gateway/shared/billing';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import {
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

const deps = (maxOpenTasks = 2000): AcceptDeps => createAcceptDeps(database.db, { maxOpenTasks });
const input = (account: TestAccount, more: Partial<AcceptInput> = {}): AcceptInput => ({
  accountId: account.id,
  apiKeyId: account.apiKeyId,
  requestId: 'r',
  request: { model: 'nanobanana', prompt: 'a fox', aspect_ratio: '16:9', num_outputs: 1, resolution: '1k' },
  ...more,
});
const getCode = (result: PromiseSettledResult<unknown>) =>
  result.status === 'fulfilled' ? 'accepted' : (result.reason as { code: string }).code;
const readAccount = (id: string) => database.db.prisma.account.findUniqueOrThrow({ where: { id } });

describe('accepting a generation', () => {
  test('1,000 at once on money for 123 accept exactly 123', async () => {
    const account = await createTestAccount(database, { balanceMicros: 1_239_999n });
    // A slow machine sends some away without an answer about the money; they come again, as clients do.
    const accept = async (): Promise<unknown> => {
      for (;;) {
        try {
          return await acceptGeneration(deps(), input(account));
        } catch (error) {
          if (!(error instanceof AppError && error.retryable)) {
            throw error;
          }
        }
      }
    };
    const results = await Promise.allSettled(Array.from({ length: 1000 }, accept));
    const codes = results.map(getCode);
    expect(codes.filter((code) => code === 'accepted')).toHaveLength(123);
    expect(codes.filter((code) => code === 'INSUFFICIENT_BALANCE')).toHaveLength(877);
    expect(await readAccount(account.id)).toMatchObject({
      heldMicros: 1_230_000n,
      openCount: 123,
      taskCount: 123n,
    });
  });

  test('30 at once with one key and money for one are one task', async () => {
    const account = await createTestAccount(database, { balanceMicros: 10_000n });
    const results = await Promise.all(
      Array.from({ length: 30 }, () => acceptGeneration(deps(), input(account, { idempotencyKey: 'k' }))),
    );
    expect(new Set(results.map((result) => result.task.id)).size).toBe(1);
    expect(results.filter((result) => !result.replayed)).toHaveLength(1);
    expect(await readAccount(account.id)).toMatchObject({ heldMicros: 10_000n, openCount: 1 });
  });

  test('30 at once with one key and money for all hold the price once', async () => {
    const account = await createTestAccount(database);
    await Promise.all(
      Array.from({ length: 30 }, () => acceptGeneration(deps(), input(account, { idempotencyKey: 'k' }))),
    );
    expect(await readAccount(account.id)).toMatchObject({ heldMicros: 10_000n, openCount: 1, taskCount: 1n });
  });

  test('the same key with another body is refused, and the same key of another account is its own', async () => {
    const [one, two] = [await createTestAccount(database), await createTestAccount(database)];
    const first = await acceptGeneration(deps(), input(one, { idempotencyKey: 'k' }));
    const other = {
      ...input(one, { idempotencyKey: 'k' }),
      request: { ...input(one).request, prompt: 'a dog' },
    };
    await expect(acceptGeneration(deps(), other)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const second = await acceptGeneration(deps(), input(two, { idempotencyKey: 'k' }));
    expect(second).toMatchObject({ replayed: false });
    expect(second.task.id).not.toBe(first.task.id);
  });

  test('a repetition is equal by added fields too, and without them to a task of a release that did not know them', async () => {
    const account = await createTestAccount(database);
    const submit = (idempotencyKey: string, fields: Partial<AcceptInput['request']> = {}) =>
      acceptGeneration(deps(), {
        ...input(account, { idempotencyKey }),
        request: { ...input(account).request, ...fields },
      });
    const first = await submit('new', { seed: 7 });
    expect(await submit('new', { seed: 7 })).toMatchObject({ replayed: true, task: { id: first.task.id } });
    for (const other of [{ seed: 8 }, {}, { seed: 7, background: 'opaque' as const }]) {
      await expect(submit('new', other)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    const old = await submit('old');
    await database.pool.query('UPDATE tasks SET idem_added = NULL WHERE id = $1', [old.task.id]);
    for (const repeated of [{ seed: 7 }, {}]) {
      expect(await submit('old', repeated)).toMatchObject({ replayed: true, task: { id: old.task.id } });
    }
    await expect(submit('old', { num_outputs: 2 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const { rows } = await database.pool.query(
      'SELECT encode(idem_fingerprint, $2) AS first FROM tasks WHERE account_id = $1',
      [account.id, 'hex'],
    );
    // The release before stores this part, and compares it.
    expect(new Set(rows.map(({ first: print }) => print)).size).toBe(1);
    expect(await readAccount(account.id)).toMatchObject({ heldMicros: 20_000n, openCount: 2 });
  });

  test('a replay shows the task as it was accepted, also when it has finished', async () => {
    const account = await createTestAccount(database);
    const first = await acceptGeneration(deps(), input(account, { idempotencyKey: 'k' }));
    await settleTask(
      { db: database.db, newId, fileUrl: 'http://f' },
      { taskId: first.task.id, attempt: 0, reason: 'x' },
    );
    const again = await acceptGeneration(deps(), input(account, { idempotencyKey: 'k' }));
    expect(again).toEqual({ task: first.task, replayed: true });
  });

  test('a key expires 24 hours after its task was made, and then names a new one', async () => {
    const account = await createTestAccount(database);
    const first = await createTestTask(database.db, account, {
      idempotencyKey: 'k',
      request: { prompt: 'a fox' },
    });
    await database.pool.query(
      `UPDATE tasks SET created_at = created_at - interval '24 hours 1 second' WHERE id = $1`,
      [first.id],
    );
    await database.pool.query('SELECT recount_key_spend()');
    await settleTask(
      { db: database.db, newId, fileUrl: 'http://f' },
      { taskId: first.id, attempt: 0, reason: 'x' },
    );
    const results = await Promise.all(
      Array.from({ length: 5 }, () => acceptGeneration(deps(), input(account, { idempotencyKey: 'k' }))),
    );
    expect(new Set(results.map((result) => result.task.id)).size).toBe(1);
    expect(results[0]?.task.id).not.toBe(first.id);
  });

  test('a suspended account, too many open tasks and an unknown account each have their own refusal', async () => {
    const account = await createTestAccount(database);
    await acceptGeneration(deps(1), input(account));
    await expect(acceptGeneration(deps(1), input(account))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    await database.db.prisma.account.update({ where: { id: account.id }, data: { status: 'suspended' } });
    await expect(acceptGeneration(deps(), input(account))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(acceptGeneration(deps(), { ...input(account), accountId: 'acc_x' })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });

  test('a task whose COMMIT was answered by a broken connection is found again', async () => {
    const account = await createTestAccount(database);
    let broken = false;
    const db: AcceptDeps['db'] = {
      run: async (statement, values) => {
        const rows = await database.db.run(statement, values);
        if (statement.name === 'insert-tasks' && !broken) {
          broken = true;
          throw new Error('Connection terminated unexpectedly');
        }
        return rows as never;
      },
    };
    const { task } = await acceptGeneration(createAcceptDeps(db), input(account));
    expect(await readAccount(account.id)).toMatchObject({ taskCount: 1n });
    expect(task.status).toBe('pending');
  });

  /** Database whose answers to some statements have times that no driver reads. */
  const withUnreadable = (...names: readonly string[]): AcceptDeps['db'] => ({
    run: (statement, values) => {
      if (!names.includes(statement.name)) {
        return database.db.run(statement, values);
      }
      const { name, text } = statement;
      const [column] = text.match(/\S+ AS "createdAt"/g)?.slice(-1) ?? [];
      const german = `${column}, set_config('DateStyle', 'German', true)`;
      return database.db.run(
        { name: `${name}-german`, text: text.replace(column ?? '', german) },
        statement.batch ? [JSON.stringify(values)] : values,
      );
    },
  });

  test('a task whose answer cannot be read is inserted once, and found again', async () => {
    const account = await createTestAccount(database);
    const db = withUnreadable('insert-tasks');
    const { task } = await acceptGeneration(createAcceptDeps(db), input(account));
    expect(task.createdAt).toBeInstanceOf(Date);
    expect(await readAccount(account.id)).toMatchObject({ taskCount: 1n });
  });

  test.each([undefined, 'k'])(
    'where no answer can be read, the request ends with one task (key: %s)',
    async (idempotencyKey) => {
      const account = await createTestAccount(database);
      const db = withUnreadable('insert-tasks', 'find-accepted', 'find-by-idempotency-key');
      const given = idempotencyKey === undefined ? {} : { idempotencyKey };
      for (let repetition = 0; repetition < (idempotencyKey === undefined ? 1 : 3); repetition++) {
        await expect(acceptGeneration(createAcceptDeps(db), input(account, given))).rejects.toMatchObject({
          code: 'INTERNAL_ERROR',
        });
      }
      expect(await readAccount(account.id)).toMatchObject({ taskCount: 1n, heldMicros: 10_000n });
    },
  );

  test('a request has one task, whatever a try believes of the one before', async () => {
    const account = await createTestAccount(database);
    let tries = 0;
    const db: AcceptDeps['db'] = {
      run: async (statement, values) => {
        const isFirst = statement.name === 'insert-tasks' && tries++ === 0;
        const rows = await database.db.run<object>(statement, values);
        return (isFirst ? rows.map((row) => ({ ...row, createdAt: null })) : rows) as never;
      },
    };
    const { task } = await acceptGeneration(createAcceptDeps(db), input(account));
    expect([tries, task.status]).toEqual([2, 'pending']);
    expect(await readAccount(account.id)).toMatchObject({ taskCount: 1n });
  });

  test('a submit that others are accepted before is judged again, and refused only for a limit that it exceeds by itself', async () => {
    const account = await createTestAccount(database, { balanceMicros: 70_000n });
    const wish = (num_outputs: number) => ({ ...input(account).request, num_outputs });
    const sizes = [4, 4, 2, 2, 1, 1, 1];
    const results = await Promise.allSettled(
      sizes.map((images) => acceptGeneration(deps(), input(account, { request: wish(images) }))),
    );
    expect(results.map(getCode)).toEqual([
      'accepted',
      'INSUFFICIENT_BALANCE',
      'accepted',
      'INSUFFICIENT_BALANCE',
      'accepted',
      'INSUFFICIENT_BALANCE',
      'INSUFFICIENT_BALANCE',
    ]);
    expect(
      results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))[1],
    ).toMatchObject({
      publicMessage: expect.stringContaining('which costs $0.0200'),
    });
    expect(await readAccount(account.id)).toMatchObject({ heldMicros: 70_000n, openCount: 3 });
  });
});
