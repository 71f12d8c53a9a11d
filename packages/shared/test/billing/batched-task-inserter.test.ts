import { type AcceptInput, acceptGeneration } from '@image-gateway/shared/billing';
import { newRequestId } from '@image-gateway/shared/ids';
import {
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let test_: TestDatabase;
let statements: readonly string[] = [];

beforeAll(async () => {
  test_ = await createTestDatabase();
});
afterAll(async () => {
  await test_.checkInvariants();
  await test_.close();
});

/** Accepts as the API does, and notes which statements that takes. */
function scene(maxOpenTasks = 1_000_000) {
  const process = noteStatements(test_);
  statements = process.statements;
  const deps = createAcceptDeps(process.db, { maxOpenTasks });
  return (account: TestAccount, more: Partial<AcceptInput['request']> = {}, idempotencyKey?: string) =>
    acceptGeneration(deps, {
      accountId: account.id,
      apiKeyId: account.apiKeyId,
      requestId: newRequestId(),
      request: {
        model: 'nanobanana',
        prompt: 'x',
        aspect_ratio: '16:9',
        resolution: '1k',
        num_outputs: 1,
        ...more,
      },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
}
const outcomes = async (promises: readonly Promise<unknown>[]) => {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(promises)) {
    const name = result.status === 'fulfilled' ? 'accepted' : (result.reason as { code: string }).code;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
const money = async ({ id }: TestAccount) =>
  (
    await test_.pool.query(
      'SELECT held_micros::int AS held, open_count AS open FROM accounts WHERE id = $1',
      [id],
    )
  ).rows[0];

describe('tasks inserted in batches', () => {
  test('two thousand at once with money for 321: exactly those, in a few statements', async () => {
    const account = await createTestAccount(test_, { balanceMicros: 3_210_000n });
    const accept = scene();
    expect(await outcomes(Array.from({ length: 2_000 }, () => accept(account)))).toEqual({
      accepted: 321,
      INSUFFICIENT_BALANCE: 1_679,
    });
    expect(await money(account)).toEqual({ held: 3_210_000, open: 321 });
    expect(statements.length).toBeLessThan(100);
  });

  test('what fits is taken although something larger came before it', async () => {
    const account = await createTestAccount(test_, { balanceMicros: 50_000n });
    const accept = scene();
    const sizes = [4, 4, 4, 1, 4, 4];
    expect(await outcomes(sizes.map((num_outputs) => accept(account, { num_outputs })))).toEqual({
      accepted: 2,
      INSUFFICIENT_BALANCE: 4,
    });
    expect(await money(account)).toEqual({ held: 50_000, open: 2 });
  });

  test('what could never fit takes no place in the batch', async () => {
    const account = await createTestAccount(test_, { balanceMicros: 10_000n });
    const accept = scene();
    const sizes = [4, 4, 4, 1];
    await outcomes(sizes.map((num_outputs) => accept(account, { num_outputs })));
    expect(await money(account)).toEqual({ held: 10_000, open: 1 });
    expect(statements.filter((name) => name === 'insert-tasks')).toHaveLength(1);
  });

  test('many accounts at once are kept apart, and so is the limit of open tasks', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => createTestAccount(test_)));
    const accept = scene(7);
    const all = Array.from({ length: 10 }, () => accounts.map((account) => accept(account))).flat();
    expect(await outcomes(all)).toEqual({ accepted: 140, RATE_LIMITED: 60 });
    for (const account of accounts) {
      expect(await money(account)).toEqual({ held: 70_000, open: 7 });
    }
  });

  test('statements of one process never keep each other from an account', async () => {
    const accounts = await Promise.all(Array.from({ length: 30 }, () => createTestAccount(test_)));
    const accept = scene();
    const all = Array.from({ length: 30 }, () => accounts.map((account) => accept(account))).flat();
    expect(await outcomes(all)).toEqual({ accepted: 900 });
    expect(statements).not.toContain('insert-tasks-waiting');
    expect(statements.length).toBeLessThan(20);
  });

  test('every field arrives as it does alone', async () => {
    const account = await createTestAccount(test_);
    const accept = scene();
    const full = {
      prompt: `"quotes" \\ 🦊 ' $1 \n`,
      negative_prompt: 'n',
      num_outputs: 2,
      image_urls: ['https://a.example/?x="y"', 'https://b.example/,{}'],
      webhook_url: 'https://c.example/',
      duration: 5,
    };
    const { task } = await accept(account, full, 'key-1');
    const { rows } = await test_.pool.query('SELECT * FROM tasks WHERE id = $1', [task.id]);
    expect(rows[0]).toMatchObject({
      ...full,
      type: 'image_edit',
      idem_key: 'key-1',
      hold_micros: '20000',
      due_at: rows[0].created_at,
    });
    expect(rows[0].idem_fingerprint).toHaveLength(32);
    expect(rows[0].deadline_at - rows[0].created_at).toBe(60_000);
    const bare = await accept(account);
    const [row] = (await test_.pool.query('SELECT * FROM tasks WHERE id = $1', [bare.task.id])).rows;
    expect(row).toMatchObject({
      image_urls: [],
      negative_prompt: null,
      webhook_url: null,
      duration: null,
      idem_key: null,
      idem_fingerprint: null,
    });
  });

  test('one key thirty times at once with money for one: one task, thirty answers', async () => {
    const account = await createTestAccount(test_, { balanceMicros: 10_000n });
    const [one, two] = [scene(), scene()];
    const all = Array.from({ length: 30 }, (_, i) => (i % 2 ? one : two)(account, {}, 'k'));
    const ids = (await Promise.all(all)).map(({ task }) => task.id);
    expect(new Set(ids).size).toBe(1);
    expect(await money(account)).toEqual({ held: 10_000, open: 1 });
  });

  test('a row that the database refuses hurts nobody else in its batch', async () => {
    const account = await createTestAccount(test_);
    const accept = scene();
    const all = Array.from({ length: 50 }, (_, i) =>
      accept(account, { prompt: i === 25 ? 'a\u0000b' : 'x' }),
    );
    expect(await outcomes(all)).toEqual({ accepted: 49, INTERNAL_ERROR: 1 });
    expect(await money(account)).toEqual({ held: 490_000, open: 49 });
  });

  test('a locked account is SERVICE_UNAVAILABLE within 3 s for all its requests, and holds nobody else up', async () => {
    const [locked, free, ...others] = await Promise.all(
      Array.from({ length: 4 }, () => createTestAccount(test_)),
    );
    if (!locked || !free) {
      throw new Error('there are no accounts');
    }
    const accept = scene();
    const acceptMany = (account: TestAccount) => outcomes(Array.from({ length: 300 }, () => accept(account)));
    // Thrice the time of as many requests while nothing is locked. A lock that held them up would cost two seconds more.
    const startedAt = performance.now();
    await Promise.all(others.map(acceptMany));
    const slackMs = 3 * (performance.now() - startedAt);
    const holder = await test_.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [locked.id]);
      const begun = performance.now();
      const waiting = acceptMany(locked);
      expect(await acceptMany(free)).toEqual({ accepted: 300 });
      expect(performance.now() - begun).toBeLessThan(1_900 + slackMs);
      expect(await waiting).toEqual({ SERVICE_UNAVAILABLE: 300 });
      expect(performance.now() - begun).toBeLessThan(3_000 + slackMs);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await outcomes([accept(locked)])).toEqual({ accepted: 1 });
  });

  test('sessions that are cut again and again lose no accepted task and leave no hold behind', async () => {
    const account = await createTestAccount(test_);
    const accept = scene();
    const stop = new AbortController();
    const cutting = (async () => {
      while (!stop.signal.aborted) {
        await test_.pool.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'test' AND state <> 'idle'",
        );
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const ids: string[] = [];
    for (let round = 0; round < 20; round++) {
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => accept(account)));
      for (const result of results) {
        if (result.status === 'fulfilled') {
          ids.push(result.value.task.id);
        }
      }
    }
    stop.abort();
    await cutting;
    const { rows } = await test_.pool.query('SELECT id FROM tasks WHERE account_id = $1', [account.id]);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(await money(account)).toEqual({ held: rows.length * 10_000, open: rows.length });
  });
});
