import { acceptGeneration, settleTask } from '@image-gateway/shared/billing';
import {
  createDatabase,
  type Database,
  deleteEndedTask,
  deleteOldValueSpend,
} from '@image-gateway/shared/db';
import { newId, newRequestId } from '@image-gateway/shared/ids';
import {
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;
let account: TestAccount;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  account = await createTestAccount(database);
  await setCap(5);
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

/** Sets the daily cap of each user in images of a cent. */
const setCap = (images: number): Promise<unknown> =>
  database.pool.query("UPDATE api_keys SET cap_per_key = 'user', cap_per_micros = $2 WHERE id = $1", [
    account.apiKeyId,
    images * 10_000,
  ]);
const submit = async (
  db: Pick<Database, 'run'>,
  user: string | null,
  { images = 1, apiKeyId = account.apiKeyId } = {},
): Promise<string> => {
  const { task } = await acceptGeneration(createAcceptDeps(db), {
    accountId: account.id,
    apiKeyId,
    capPerKey: 'user',
    requestId: newRequestId(),
    request: {
      model: 'nanobanana',
      prompt: 'x',
      aspect_ratio: '16:9',
      resolution: '1k',
      num_outputs: images,
      metadata: { app: 'web', ...(user !== null && { user }) },
    },
  });
  return task.id;
};
const end = async (taskId: string, images: number, db = database.db): Promise<void> => {
  for (let i = 0; i < images; i++) {
    await database.pool.query(
      `WITH o AS (INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
                  VALUES ($1, $2, $2, $1 || $2::int, 'image/png', 1, 1, 1, 'x'))
       UPDATE tasks SET stored_count = stored_count + 1 WHERE id = $1`,
      [taskId, i],
    );
  }
  const deps = { db, newId, fileUrl: 'http://x/files' };
  expect(await settleTask(deps, { taskId, attempt: 0, reason: 'no' })).toMatchObject({ settled: true });
};
const refused = (used: string) =>
  expect.objectContaining({
    code: 'INSUFFICIENT_BALANCE',
    publicMessage: expect.stringContaining(
      `Requests with this metadata.user have spent or reserved ${used} of their daily cap of $0.0500 with this key (cap_day_per). This request costs $`,
    ),
  });
const count = async (promises: readonly Promise<unknown>[]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(promises)) {
    const name = result.status === 'fulfilled' ? 'accepted' : (result.reason as { code: string }).code;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
const readCounters = async (): Promise<readonly object[]> =>
  (
    await database.pool.query(
      'SELECT day::text, held_micros::int AS held, spent_micros::int AS spent FROM key_value_spend WHERE account_id = $1 ORDER BY 1, 2, 3',
      [account.id],
    )
  ).rows;

describe('caps by value', () => {
  test('forty at once of each of three users from two processes: exactly as many as fit of each', async () => {
    const processes = [1, 2].map(() => noteStatements(database).db);
    const submits = ['ann', 'bob', 'eve'].map((user) =>
      count(processes.flatMap((db) => Array.from({ length: 20 }, () => submit(db, user)))),
    );
    const outcome = { accepted: 5, INSUFFICIENT_BALANCE: 35 };
    expect(await Promise.all(submits)).toEqual([outcome, outcome, outcome]);
    await expect(submit(database.db, 'ann')).rejects.toEqual(refused('$0.0500'));
  });

  test('what exceeds the cap of a user takes nothing from the cap of the key', async () => {
    await database.pool.query('UPDATE api_keys SET cap_day_micros = 80000 WHERE id = $1', [account.apiKeyId]);
    const { db } = noteStatements(database);
    const submits = Array.from({ length: 40 }, () => submit(db, 'ann'));
    const others = Array.from({ length: 3 }, () => submit(db, 'bob'));
    expect(await count(submits)).toEqual({ accepted: 5, INSUFFICIENT_BALANCE: 35 });
    expect(await count(others)).toEqual({ accepted: 3 });
  });

  test('both keys of a rotation share the cap of a user, also at once', async () => {
    const successor = newId('key');
    await database.pool.query(
      `WITH old AS (UPDATE api_keys SET family = id WHERE id = $1)
       INSERT INTO api_keys (id, account_id, prefix, hash, name, family, cap_per_key, cap_per_micros)
       SELECT $2, account_id, 'x', decode(md5($2), 'hex'), 'x', id, cap_per_key, cap_per_micros FROM api_keys WHERE id = $1`,
      [account.apiKeyId, successor],
    );
    const { db } = noteStatements(database);
    const keys = [account.apiKeyId, successor];
    const all = keys.flatMap((apiKeyId) => Array.from({ length: 20 }, () => submit(db, 'ann', { apiKeyId })));
    expect(await count(all)).toEqual({ accepted: 5, INSUFFICIENT_BALANCE: 35 });
  });

  test('a request without the value is refused, and other keys have no such cap', async () => {
    await expect(submit(database.db, null)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      publicMessage: expect.stringMatching(/^metadata\.user must be given/),
    });
    const other = await createTestAccount(database);
    const many = Array.from({ length: 7 }, () => submit(database.db, 'ann', { apiKeyId: other.apiKeyId }));
    expect(await count(many)).toEqual({ accepted: 7 });
  });

  test('failures and partial deliveries free exactly their part, an erasure frees nothing', async () => {
    const [failing, partial] = [
      await submit(database.db, 'ann'),
      await submit(database.db, 'ann', { images: 4 }),
    ];
    await expect(submit(database.db, 'ann')).rejects.toEqual(refused('$0.0500'));
    await end(failing, 0);
    await end(partial, 1);
    await deleteEndedTask(database.db, { taskId: partial, accountId: account.id });
    await expect(submit(database.db, 'ann', { images: 5 })).rejects.toEqual(refused('$0.0100'));
    await submit(database.db, 'ann', { images: 4 });
    await expect(submit(database.db, 'ann')).rejects.toEqual(refused('$0.0500'));
  });

  test('a submit that waits for its account sees what the value spends meanwhile', async () => {
    await submit(database.db, 'ann', { images: 4 });
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [account.id]);
    const outcome = count([submit(noteStatements(database).db, 'ann')]);
    await holder.query('SELECT pg_sleep(0.3)');
    await holder.query('UPDATE key_value_spend SET held_micros = held_micros + 10000 WHERE account_id = $1', [
      account.id,
    ]);
    await holder.query('COMMIT');
    expect(await outcome).toEqual({ INSUFFICIENT_BALANCE: 1 });
    await holder.query('UPDATE key_value_spend SET held_micros = held_micros - 10000 WHERE account_id = $1', [
      account.id,
    ]);
    holder.release();
  });

  test('counters hold no value, and go two days after their day', async () => {
    await submit(database.db, 'somebody');
    const { rows } = await database.pool.query(
      'SELECT row_to_json(s)::text AS text FROM key_value_spend s WHERE account_id = $1',
      [account.id],
    );
    expect(JSON.stringify(rows)).not.toContain('somebody');
    await database.pool.query(
      `INSERT INTO key_value_spend (account_id, api_key_id, value, day)
       SELECT $1, 'key_old', 'x', (now() AT TIME ZONE 'UTC')::date - days FROM generate_series(1, 3) days`,
      [account.id],
    );
    expect(await deleteOldValueSpend(database.db, { limit: 10 })).toBe(2);
    await database.pool.query("DELETE FROM key_value_spend WHERE api_key_id = 'key_old'");
    expect(await readCounters()).toHaveLength(1);
  });
});

describe('the days of UTC', () => {
  let moved: Database;
  const setClock = (time: string): Promise<unknown> =>
    database.pool.query(
      `CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz STABLE LANGUAGE sql AS $$ SELECT '${time}'::timestamptz $$`,
    );
  beforeAll(async () => {
    await database.pool.query('CREATE SCHEMA clock');
    await setClock('2030-01-31T23:59:59.999Z');
    await database.pool.query('ALTER TABLE tasks ALTER created_at SET DEFAULT clock.now()');
    const url = new URL(database.url);
    url.searchParams.set('options', '-c search_path=clock,pg_catalog,public');
    moved = createDatabase({ url: url.href, applicationName: 'moved', onIdleError: () => undefined });
  });
  afterAll(async () => {
    await moved.close();
    await database.pool.query('ALTER TABLE tasks ALTER created_at SET DEFAULT now()');
  });

  test('a cap begins anew at midnight, and a task counts for the day of its submit, whenever it ends', async () => {
    await setClock('2030-01-30T23:59:59.999Z');
    const late = await submit(moved, 'ann', { images: 4 });
    expect(await count(Array.from({ length: 40 }, () => submit(moved, 'ann')))).toEqual({
      accepted: 1,
      INSUFFICIENT_BALANCE: 39,
    });
    await setClock('2030-01-31T00:00:00.000Z');
    expect(await count(Array.from({ length: 40 }, () => submit(moved, 'ann')))).toEqual({
      accepted: 5,
      INSUFFICIENT_BALANCE: 35,
    });
    await end(late, 1, moved as TestDatabase['db']);
    await expect(submit(moved, 'ann')).rejects.toEqual(refused('$0.0500'));
    expect(await readCounters()).toEqual([
      { day: '2030-01-30', held: 10_000, spent: 10_000 },
      { day: '2030-01-31', held: 50_000, spent: 0 },
    ]);
  });
});
