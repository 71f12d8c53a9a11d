import { acceptGeneration, settleTask } from '@image-gateway/shared/billing';
import { REASONS } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { newId, newRequestId } from '@image-gateway/shared/ids';
import {
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { noteStatements } from '../note-statements.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

type Db = Pick<Database, 'run'>;

/** Runs two works in sessions of two processes that both wait for the account: the second one until the first has committed. */
async function runInTurn<T>({ id }: TestAccount, works: readonly ((db: Db) => Promise<T>)[]): Promise<T[]> {
  const holder = await database.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id]);
    const waiting = Promise.all(works.map((work) => work(noteStatements(database).db)));
    await eventually(async () => {
      const { rows } = await database.pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      expect(rows).toHaveLength(works.length);
    });
    await holder.query('COMMIT');
    return await waiting;
  } finally {
    holder.release();
  }
}

const submit =
  ({ id: accountId, apiKeyId }: TestAccount) =>
  async (db: Db): Promise<string> => {
    const { task } = await acceptGeneration(createAcceptDeps(db), {
      accountId,
      apiKeyId,
      capPerKey: 'user',
      scopes: ['generate'],
      requestId: newRequestId(),
      request: {
        model: 'nanobanana',
        prompt: 'x',
        aspect_ratio: '16:9',
        resolution: '1k',
        num_outputs: 2,
        webhook_url: 'https://hook.example/',
        metadata: { user: 'ann' },
      },
    });
    return task.id;
  };
const end = (taskId: string) => (db: Db) =>
  settleTask({ db, newId, fileUrl: 'http://x/files' }, { taskId, attempt: 0, reason: REASONS.internal });
const draw = (taskId: string) =>
  database.pool.query(
    `WITH t AS (UPDATE tasks SET stored_count = 1 WHERE id = $1 RETURNING id)
     INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
     SELECT id, 0, 0, 'images/' || id || '/0.png', 'image/png', 1, 1, 1, 'x' FROM t`,
    [taskId],
  );

const COUNTERS = {
  webhook_count: ['accounts WHERE id', 'webhook_count::int AS webhooks'],
  key_spend: ['key_spend WHERE account_id', 'held_micros::int AS held, spent_micros::int AS spent'],
  key_value_spend: [
    'key_value_spend WHERE account_id',
    'held_micros::int AS held, spent_micros::int AS spent',
  ],
} as const;
const read = async (counter: keyof typeof COUNTERS, { id }: TestAccount): Promise<unknown> => {
  const [table, columns] = COUNTERS[counter];
  return (await database.pool.query(`SELECT ${columns} FROM ${table} = $1`, [id])).rows;
};

test.each([
  ['webhook_count', { webhooks: 2 }],
  ['key_spend', { held: 40_000, spent: 0 }],
  ['key_value_spend', { held: 40_000, spent: 0 }],
] as const)(
  'a submit that waits for the lock of its account adds to the %s of the submit before it',
  async (counter, both) => {
    const account = await createTestAccount(database);
    await runInTurn(account, [submit(account), submit(account)]);
    expect(await read(counter, account)).toEqual([both]);
  },
);

test.each([
  ['webhook_count', { webhooks: 2 }],
  ['key_spend', { held: 0, spent: 20_000 }],
  ['key_value_spend', { held: 0, spent: 20_000 }],
] as const)(
  'an end that waits for the lock of its account changes the %s that the end before it left',
  async (counter, both) => {
    const account = await createTestAccount(database);
    const [first, second] = [await submit(account)(database.db), await submit(account)(database.db)];
    await Promise.all([draw(first), draw(second)]);
    expect(await runInTurn(account, [end(first), end(second)])).toMatchObject([
      { settled: true },
      { settled: true },
    ]);
    expect(await read(counter, account)).toEqual([both]);
  },
);
