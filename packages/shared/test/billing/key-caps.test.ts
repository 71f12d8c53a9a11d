import { acceptGeneration, refundTask, settleTask } from '@image-gateway/shared/billing';
import { createDatabase, type Database } from '@image-gateway/shared/db';
import { newId, newRequestId } from '@image-gateway/shared/ids';
import {
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  eventually,
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
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

type Cap = 'day' | 'month' | 'total';
const setCap = (cap: Cap, images: number, { apiKeyId } = account): Promise<unknown> =>
  database.pool.query(`UPDATE api_keys SET cap_${cap}_micros = $2 WHERE id = $1`, [
    apiKeyId,
    images * 10_000,
  ]);
const submit = async (
  db: Pick<Database, 'run'>,
  images = 1,
  apiKeyId = account.apiKeyId,
): Promise<string> => {
  const { task } = await acceptGeneration(createAcceptDeps(db), {
    accountId: account.id,
    apiKeyId,
    requestId: newRequestId(),
    request: {
      model: 'nanobanana',
      prompt: 'x',
      aspect_ratio: '16:9',
      resolution: '1k',
      num_outputs: images,
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
const refused = (cap: Cap, used: string) =>
  expect.objectContaining({
    code: 'INSUFFICIENT_BALANCE',
    publicMessage: expect.stringMatching(new RegExp(`reserved \\${used} of its .* \\(cap_${cap}\\)`)),
  });
const count = async (promises: readonly Promise<unknown>[]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(promises)) {
    const name = result.status === 'fulfilled' ? 'accepted' : (result.reason as { code: string }).code;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

describe('caps of a key', () => {
  test.each(['day', 'month', 'total'] as const)(
    'two hundred at once from three processes with a cap for 37 (%s): exactly those',
    async (cap) => {
      await setCap(cap, 37);
      const processes = [1, 2, 3].map(() => noteStatements(database).db);
      const all = processes.flatMap((db) => Array.from({ length: 67 }, () => submit(db)));
      expect(await count(all)).toEqual({ accepted: 37, INSUFFICIENT_BALANCE: 164 });
      await expect(submit(database.db)).rejects.toEqual(refused(cap, '$0.3700'));
    },
  );

  test('a submit that waits for its account sees what the key spends meanwhile', async () => {
    await setCap('day', 2);
    const first = await submit(database.db);
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [account.id]);
      const waiting = submit(noteStatements(database).db);
      const outcome = count([waiting]);
      await eventually(async () => {
        const { rows } = await database.pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(rows).toHaveLength(1);
      });
      await holder.query(
        `WITH a AS (UPDATE accounts SET held_micros = held_micros + 10000, task_count = task_count + 1, open_count = open_count + 1 WHERE id = $3),
         k AS (UPDATE key_spend SET held_micros = held_micros + 10000 WHERE account_id = $3)
         INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id', $2::text))).* FROM tasks t WHERE t.id = $1`,
        [first, newId('gen'), account.id],
      );
      await holder.query('COMMIT');
      expect(await outcome).toEqual({ INSUFFICIENT_BALANCE: 1 });
    } finally {
      holder.release();
    }
  });

  test('failures and partial deliveries free exactly their part, a refund frees nothing', async () => {
    await setCap('total', 4);
    const [failing, partial] = [await submit(database.db, 1), await submit(database.db, 3)];
    await expect(submit(database.db)).rejects.toEqual(refused('total', '$0.0400'));
    await end(failing, 0);
    await expect(submit(database.db, 2)).rejects.toEqual(refused('total', '$0.0300'));
    await end(partial, 1);
    await expect(submit(database.db, 4)).rejects.toEqual(refused('total', '$0.0100'));
    await submit(database.db, 3);
    await refundTask({ db: database.db, newId }, { taskId: partial, reason: 'r' });
    await expect(submit(database.db)).rejects.toEqual(refused('total', '$0.0400'));
  });

  test('what exceeds a cap takes nothing from other keys of the account, nor from the playground', async () => {
    await setCap('day', 1);
    const other = newId('key');
    const { db } = noteStatements(database);
    const keys = [account.apiKeyId, other, 'key_playground'];
    const all = keys.flatMap((key) => Array.from({ length: 300 }, () => submit(db, 1, key)));
    expect(await count(all)).toEqual({ accepted: 601, INSUFFICIENT_BALANCE: 299 });
  });

  test('the balance counts beside a cap, and a request above every cap is refused by the first', async () => {
    const poor = await createTestAccount(database, { balanceMicros: 20_000n });
    account = poor;
    await setCap('month', 3);
    await setCap('total', 3);
    const { db } = noteStatements(database);
    expect(await count([submit(db), submit(db), submit(db)])).toEqual({
      accepted: 2,
      INSUFFICIENT_BALANCE: 1,
    });
    await expect(submit(db)).rejects.toMatchObject({ publicMessage: expect.not.stringContaining('cap') });
    await expect(submit(db, 2)).rejects.toEqual(refused('month', '$0.0200'));
  });
});

describe('the days and months of UTC', () => {
  let moved: Database;
  /** Moves the clock of the database to a moment, for sessions that begin afterwards. */
  const setClock = (time: string): Promise<unknown> =>
    database.pool.query(
      `CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz STABLE LANGUAGE sql AS $$ SELECT '${time}'::timestamptz $$`,
    );
  beforeAll(async () => {
    await database.pool.query('CREATE SCHEMA clock');
    await setClock('2030-01-31T23:59:59.999Z');
    await database.pool.query('ALTER TABLE tasks ALTER created_at SET DEFAULT clock.now()');
    const options = '-c search_path=clock,pg_catalog,public';
    const url = new URL(database.url);
    url.searchParams.set('options', options);
    moved = createDatabase({ url: url.href, applicationName: 'moved', onIdleError: () => undefined });
  });
  afterAll(async () => {
    await moved.close();
    await database.pool.query('ALTER TABLE tasks ALTER created_at SET DEFAULT now()');
  });

  test('a day ends at midnight, a month with its last day, and a task counts for the day of its submit', async () => {
    await setClock('2030-01-30T23:59:59.999Z');
    await setCap('day', 2);
    await setCap('month', 5);
    const late = await submit(moved, 2);
    await expect(submit(moved)).rejects.toEqual(refused('day', '$0.0200'));
    await setClock('2030-01-31T00:00:00.000Z');
    await submit(moved, 2);
    await end(late, 1, moved as TestDatabase['db']);
    await expect(submit(moved)).rejects.toEqual(refused('day', '$0.0200'));
    await setClock('2030-01-31T23:59:59.999Z');
    await setCap('day', 9);
    await submit(moved, 2);
    await expect(submit(moved)).rejects.toEqual(refused('month', '$0.0500'));
    // Half a millisecond before midnight is stored as midnight.
    await setClock('2030-01-31T23:59:59.9996Z');
    await submit(moved, 5);
    await expect(submit(moved)).rejects.toEqual(refused('month', '$0.0500'));
    const { rows } = await database.pool.query(
      'SELECT day::text, held_micros::int AS held, spent_micros::int AS spent FROM key_spend WHERE api_key_id = $1 ORDER BY 1',
      [account.apiKeyId],
    );
    expect(rows).toEqual([
      { day: '2030-01-30', held: 0, spent: 10_000 },
      { day: '2030-01-31', held: 40_000, spent: 0 },
      { day: '2030-02-01', held: 50_000, spent: 0 },
    ]);
  });

  test('a task that ends days after its submit frees the caps of month and total, and a day that began meanwhile keeps its own', async () => {
    await setClock('2030-03-30T12:00:00.000Z');
    const [failing, partial, whole] = [
      await submit(moved, 3),
      await submit(moved, 4),
      await submit(moved, 2),
    ];
    await setClock('2030-03-31T12:00:00.000Z');
    await setCap('month', 11);
    await submit(moved, 2);
    await expect(submit(moved)).rejects.toEqual(refused('month', '$0.1100'));
    await end(failing, 0, moved as TestDatabase['db']);
    await end(whole, 2, moved as TestDatabase['db']);
    await submit(moved, 3);
    await expect(submit(moved)).rejects.toEqual(refused('month', '$0.1100'));
    await setClock('2030-04-01T00:00:00.000Z');
    await setCap('total', 12);
    await submit(moved, 1);
    await expect(submit(moved)).rejects.toEqual(refused('total', '$0.1200'));
    await end(partial, 1, moved as TestDatabase['db']);
    await submit(moved, 3);
    await expect(submit(moved)).rejects.toEqual(refused('total', '$0.1200'));
    await database.checkInvariants();
    // A transaction that began before midnight comes after those of the next day.
    await setClock('2030-03-31T23:59:59.000Z');
    await setCap('total', 14);
    await setCap('month', 10);
    await submit(moved, 2);
    await expect(submit(moved)).rejects.toEqual(refused('month', '$0.1000'));
  });
});
