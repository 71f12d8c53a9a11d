import {
  type AcceptInput,
  acceptGeneration,
  type SettleDeps,
  settleTask,
} from '@image-gateway/shared/billing';
import type { Rate } from '@image-gateway/shared/config';
import { INPUT_IMAGE_REASONS, inputImageReason, REASONS, type Reason } from '@image-gateway/shared/contract';
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
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

const HOUR = { limit: 3, windowSeconds: 3600 };
const submit = (account: TestAccount, maxFailedTasks: Rate | null = HOUR, more: Partial<AcceptInput> = {}) =>
  acceptGeneration(createAcceptDeps(database.db, { maxFailedTasks }), {
    accountId: account.id,
    apiKeyId: account.apiKeyId,
    requestId: 'r',
    request: {
      model: 'nanobanana',
      prompt: 'a fox',
      aspect_ratio: '16:9',
      num_outputs: 1,
      resolution: '1k',
    },
    ...more,
  });
const end = async (
  taskId: string,
  reason: Reason | string,
  db: SettleDeps['db'] = database.db,
): Promise<void> => {
  const settlement = await settleTask(
    { db, newId, fileUrl: 'http://x/files' },
    { taskId, attempt: 0, reason },
  );
  if (!settlement.settled) {
    throw new Error(`task ${taskId} did not end`);
  }
};
/** Makes tasks and fails them all at once, in a process of its own. */
const failTasks = async (account: TestAccount, count: number, reason: Reason | string): Promise<void> => {
  const { db } = noteStatements(database);
  const tasks = await Promise.all(Array.from({ length: count }, () => createTestTask(database.db, account)));
  await Promise.all(tasks.map(({ id }) => end(id, reason, db)));
};
const accepted = async (account: TestAccount, maxFailedTasks: Rate | null = HOUR): Promise<boolean> => {
  try {
    const { task } = await submit(account, maxFailedTasks);
    await end(task.id, REASONS.internal);
    return true;
  } catch (error) {
    expect(error).toMatchObject({
      code: 'RATE_LIMITED',
      publicMessage: expect.stringContaining('MAX_FAILED_TASKS'),
    });
    return false;
  }
};
/** Moves what has failed into the past, in place of waiting. */
const age = (account: TestAccount, seconds: number): Promise<unknown> =>
  database.pool.query(
    'UPDATE failed_task_counts SET starts_at = starts_at - make_interval(secs => $2) WHERE account_id = $1',
    [account.id, seconds],
  );

const COUNTS: Readonly<Record<keyof typeof REASONS, boolean>> = {
  moderation: true,
  refusedInput: true,
  upstream: false,
  deadline: false,
  canceled: true,
  internal: false,
};

describe('the limit of failed tasks', () => {
  test.each([
    ...Object.entries(REASONS).map(
      ([name, reason]) => [reason.text, reason, COUNTS[name as keyof typeof REASONS]] as const,
    ),
    ...Object.keys(INPUT_IMAGE_REASONS).map((why) => {
      const reason = inputImageReason(12, why as keyof typeof INPUT_IMAGE_REASONS);
      return [reason.text, reason, true] as const;
    }),
    ...[
      "The customer's own image_urls[0]: an operator's text.",
      'image_urls[0]: could not be fetched, says an operator.',
      REASONS.moderation.text,
    ].map((text) => [`an operator's text: ${text}`, text, false] as const),
  ])(
    'the limit of failed tasks is for failures that the request is to blame for: %s',
    async (_name, reason, counts) => {
      const account = await createTestAccount(database);
      await failTasks(account, 3, reason);
      expect(await accepted(account)).toBe(!counts);
    },
  );

  test('the limit of failed tasks counts all that end at once in any process, and refuses all that are submitted at once', async () => {
    const account = await createTestAccount(database);
    const limit = { limit: 40, windowSeconds: 60 };
    await Promise.all(Array.from({ length: 8 }, () => failTasks(account, 5, REASONS.moderation)));
    const results = await Promise.all(Array.from({ length: 20 }, () => accepted(account, limit)));
    expect(results).toEqual(Array.from({ length: 20 }, () => false));
    expect(await accepted(account, { ...limit, limit: 41 })).toBe(true);
    expect(await accepted(await createTestAccount(database), limit)).toBe(true);
  });

  test('the limit of failed tasks ends when the tasks have left its window, which Retry-After tells', async () => {
    const account = await createTestAccount(database);
    await failTasks(account, 1, REASONS.moderation);
    await age(account, 3000);
    await failTasks(account, 2, REASONS.moderation);
    const refused = await submit(account).catch((error: unknown) => error);
    const { retryAfterSeconds } = refused as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeGreaterThan(500);
    expect(retryAfterSeconds).toBeLessThanOrEqual(600);
    await age(account, 600);
    expect(await accepted(account)).toBe(true);
    await failTasks(account, 1, REASONS.moderation);
    expect(await accepted(account)).toBe(false);
    await age(account, 3600);
    expect(await accepted(account)).toBe(true);
  });

  test("the limit of failed tasks is an operator's number where there is one, fewer or more, and also where the setting is off", async () => {
    const account = await createTestAccount(database);
    await failTasks(account, 3, REASONS.moderation);
    const own = (limit: number | null, seconds: number | null): Promise<unknown> =>
      database.pool.query(
        'UPDATE accounts SET max_failed_tasks = $2, failed_tasks_seconds = $3 WHERE id = $1',
        [account.id, limit, seconds],
      );
    expect(await accepted(account, null)).toBe(true);
    await own(4, 3600);
    expect(await accepted(account)).toBe(true);
    await own(3, 60);
    expect(await accepted(account, null)).toBe(false);
    await age(account, 60);
    expect(await accepted(account)).toBe(true);
    await own(null, null);
    expect(await accepted(account)).toBe(false);
  });

  test('the limit of failed tasks leaves an Idempotency-Key its task', async () => {
    const account = await createTestAccount(database);
    const first = await submit(account, HOUR, { idempotencyKey: 'one' });
    await failTasks(account, 3, REASONS.refusedInput);
    const again = await submit(account, HOUR, { idempotencyKey: 'one' });
    expect([again.replayed, again.task.id]).toEqual([true, first.task.id]);
    await expect(submit(account, HOUR, { idempotencyKey: 'two' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    await end(first.task.id, REASONS.internal);
  });
});

describe('the counter of failed tasks', () => {
  test('the counter of failed tasks is kept for tasks that any statement ends', async () => {
    const account = await createTestAccount(database);
    for (let i = 0; i < 3; i++) {
      const { id } = await createTestTask(database.db, account);
      await database.pool.query(
        `WITH t AS (
           UPDATE tasks SET status = 'failed', phase = 'done', settled_attempt = attempt, error = 'image_urls[0]: could not be fetched',
                            failure = 'input_image', started_at = now(), completed_at = now(), lease_until = NULL WHERE id = $1 RETURNING account_id, hold_micros),
         key AS (UPDATE key_spend s SET held_micros = s.held_micros - t.hold_micros FROM t WHERE s.account_id = t.account_id)
         UPDATE accounts a SET held_micros = held_micros - t.hold_micros, open_count = open_count - 1 FROM t WHERE a.id = t.account_id`,
        [id],
      );
    }
    await database.pool.query('SELECT recount_hours()');
    expect(await accepted(account)).toBe(false);
  });

  test('the counter of failed tasks keeps the seconds that a window can reach and one before them', async () => {
    const account = await createTestAccount(database);
    for (let i = 0; i < 4; i++) {
      await age(account, 400_000);
      await failTasks(account, 1, REASONS.moderation);
    }
    const { rows } = await database.pool.query(
      'SELECT total::int FROM failed_task_counts WHERE account_id = $1 ORDER BY starts_at',
      [account.id],
    );
    expect(rows).toEqual([{ total: 1 }, { total: 2 }, { total: 3 }, { total: 4 }]);
    await age(account, 400_000);
    await failTasks(account, 1, REASONS.moderation);
    expect(await accepted(account, { limit: 3, windowSeconds: 999_999 })).toBe(false);
    expect(await accepted(account, { limit: 4, windowSeconds: 999_999 })).toBe(true);
    const left = await database.pool.query(
      'SELECT min(total)::int AS first FROM failed_task_counts WHERE account_id = $1',
      [account.id],
    );
    expect(left.rows).toEqual([{ first: 2 }]);
  });

  test('the counter of failed tasks is the same when all tasks are counted again', async () => {
    const account = await createTestAccount(database);
    await failTasks(account, 3, REASONS.moderation);
    await database.pool.query('SELECT recount_failed_tasks()');
    expect(await accepted(account)).toBe(false);
    expect(await accepted(account, { limit: 4, windowSeconds: 3600 })).toBe(true);
  });
});
