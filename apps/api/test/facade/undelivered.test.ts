import { setTimeout as sleep } from 'node:timers/promises';
import { settleTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import type { RequestFingerprint } from '@image-gateway/shared/task';
import {
  createTestAccount,
  createTestDatabase,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { age, countTasks, readStates } from './support/request-rows.js';
import { startClaims, type TestClaims, TIMES } from './support/start-claims.js';

let database: TestDatabase;
let owner: TestAccount;
let first: TestClaims;
let second: TestClaims;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  owner = await createTestAccount(database);
  first = startClaims(database);
  second = startClaims(database);
});
afterEach(async () => {
  await Promise.all([first.kill(), second.kill()]);
  await database.checkInvariants();
  await database.pool.query('DELETE FROM facade_requests');
});
afterAll(() => database.close());

const claimId = async (...[claims, options, account = owner]: ClaimInput): Promise<string> =>
  (await claims.claim(account, options)).task.id;
type ClaimInput = [claims: TestClaims, options?: Parameters<TestClaims['claim']>[1], account?: TestAccount];
/** Gives the owner a second key and returns its id. */
const addKey = async (): Promise<string> => {
  const id = `${owner.apiKeyId}2`;
  await database.pool.query(
    `INSERT INTO api_keys (id, account_id, name, prefix, hash) SELECT $1::text, account_id, name, prefix, sha256(hash) FROM api_keys WHERE id = $2`,
    [id, owner.apiKeyId],
  );
  return id;
};
const fail = async (taskId: string): Promise<void> => {
  await database.pool.query(
    `UPDATE tasks SET phase = 'running', attempt = 1, started_at = now(), lease_until = now() + interval '1 minute' WHERE id = $1`,
    [taskId],
  );
  await settleTask(
    { db: database.db, newId, fileUrl: 'http://gateway.test/files' },
    { taskId, attempt: 1, reason: 'The upstream provider failed.' },
  );
};

describe('an answer that nobody received', () => {
  test('an answer that nobody received goes to the next equal request, in any process, which buys nothing', async () => {
    const cut = await first.claim(owner);
    await cut.finish(false);
    const next = await second.claim(owner);
    expect(next.task).toEqual(cut.task);
    expect([next.replayed, await countTasks(database, owner)]).toEqual([false, 1]);
    await next.finish(true);
    expect(await claimId(first)).not.toBe(cut.task.id);
  });

  test('an answer that nobody received is abandoned again when the request that took it over is cut, however often', async () => {
    const cut = await first.claim(owner);
    await cut.finish(false);
    for (const claims of [second, first, second]) {
      const again = await claims.claim(owner);
      expect(again.task.id).toBe(cut.task.id);
      await again.finish(false);
    }
    expect([await claimId(first), await countTasks(database, owner)]).toEqual([cut.task.id, 1]);
  });

  test('an answer that nobody received goes to no request whose added fields differ, unless a release that ignored them accepted it', async () => {
    const prints = [1, 2].map((added) => ({ first: Buffer.alloc(32, 1), added: Buffer.alloc(32, added) }));
    const [one, two] = prints as [RequestFingerprint, RequestFingerprint];
    const abandon = async (fingerprint: RequestFingerprint): Promise<string> => {
      const { task, finish } = await first.claim(owner, { fingerprint });
      await finish(false);
      return task.id;
    };
    const cut = await abandon(one);
    expect(await claimId(first, { fingerprint: two })).not.toBe(cut);
    expect(await claimId(first, { fingerprint: one })).toBe(cut);

    const old = await abandon(one);
    await database.pool.query('UPDATE facade_requests SET added = NULL WHERE task_id = $1', [old]);
    expect(await claimId(first, { fingerprint: two })).toBe(old);
  });

  test('an answer that nobody received can be found by the release before, which compares the first part alone', async () => {
    const fingerprint = { first: Buffer.alloc(32, 7), added: Buffer.alloc(32, 8) };
    const { task } = await first.claim(owner, { fingerprint });
    const { rows } = await database.pool.query(
      'SELECT task_id FROM facade_requests WHERE account_id = $1 AND fingerprint = $2',
      [owner.id, fingerprint.first],
    );
    expect(rows).toEqual([{ task_id: task.id }]);
  });

  test('an answer that nobody received goes to no request of another key, another account or with another fingerprint', async () => {
    const cut = await first.claim(owner);
    await cut.finish(false);
    const stranger = await createTestAccount(database);
    const key = await addKey();
    const others = [
      await claimId(first, {}, stranger),
      await claimId(first, {}, { ...owner, apiKeyId: key }),
      await claimId(first, { prompt: 'a dog' }),
      await claimId(first, { idempotencyKey: 'of-its-own' }),
    ];
    expect(others).not.toContain(cut.task.id);
    expect(await claimId(first)).toBe(cut.task.id);
  });

  test('an answer that nobody received goes to one of many requests at once, the oldest first; the others are new tasks', async () => {
    const cuts = await Promise.all(Array.from({ length: 3 }, () => first.claim(owner)));
    const old = cuts.map(({ task }) => task.id);
    await Promise.all(cuts.map(({ finish }) => finish(false)));
    const [{ rows }] = [
      await database.pool.query('SELECT task_id FROM facade_requests ORDER BY created_at, task_id'),
    ];
    expect(await claimId(second)).toBe(rows[0].task_id);
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, i) => claimId(i % 2 === 0 ? first : second)),
    );
    expect(new Set(ids).size).toBe(20);
    expect(ids.filter((id) => old.includes(id))).toHaveLength(2);
    expect(await countTasks(database, owner)).toBe(21);
  });

  test('an answer that nobody received goes to a request that another one outran for the answer that both had seen', async () => {
    const cuts = [await first.claim(owner), await first.claim(owner)] as const;
    await cuts[0].finish(false);
    const other = await database.pool.connect();
    try {
      await other.query('BEGIN');
      await other.query(`UPDATE facade_requests SET state = 'waiting' WHERE task_id = $1`, [cuts[0].task.id]);
      const claiming = claimId(second);
      await eventually(async () => {
        const { rows } = await database.pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(rows).toHaveLength(1);
      });
      await cuts[1].finish(false);
      await other.query('COMMIT');
      expect([await claiming, await countTasks(database, owner)]).toEqual([cuts[1].task.id, 2]);
    } finally {
      other.release();
    }
  });

  test('an answer that nobody received can be taken over for 15 minutes', async () => {
    const cut = await first.claim(owner);
    await cut.finish(false);
    await age(database, 14 * 60_000);
    const again = await second.claim(owner);
    expect(again.task.id).toBe(cut.task.id);
    await again.finish(false);
    await age(database, 15 * 60_000 + 1_000);
    expect(await claimId(first)).not.toBe(cut.task.id);
  });

  test('an answer that nobody received is also that of a failed task, whose error is taken over once', async () => {
    const cut = await first.claim(owner);
    await fail(cut.task.id);
    await cut.finish(false);
    const again = await second.claim(owner, { retryCount: 1 });
    expect(again.task.id).toBe(cut.task.id);
    await again.finish(true);
    expect(await claimId(first, { retryCount: 2 })).not.toBe(cut.task.id);
  });

  test('an answer that nobody received is that of a request with an idempotency key too, unless its key got it', async () => {
    const cut = await first.claim(owner, { idempotencyKey: 'once' });
    const joined = await second.claim(owner, { idempotencyKey: 'once' });
    expect([joined.task.id, joined.replayed]).toEqual([cut.task.id, true]);
    await cut.finish(false);
    expect(await readStates(database)).toEqual(['abandoned']);
    await joined.finish(true);
    expect(await readStates(database)).toEqual(['delivered']);
    expect(await claimId(first)).not.toBe(cut.task.id);
  });
});

describe('a repetition', () => {
  test('a repetition joins the task of a request that still waits, in any process, and its answer is the one that counts', async () => {
    const early = await first.claim(owner);
    const joined = await second.claim(owner, { retryCount: 1 });
    expect([joined.task, joined.replayed]).toEqual([early.task, false]);
    // A relay took this for its client, who has left.
    await early.finish(true);
    expect(await readStates(database)).toEqual(['waiting']);
    await joined.finish(false);
    expect(await readStates(database)).toEqual(['abandoned']);
    const last = await first.claim(owner);
    expect(last.task).toEqual(early.task);
    await last.finish(true);
    expect([await readStates(database), await countTasks(database, owner)]).toEqual([['delivered'], 1]);
  });

  test('a repetition joins the task that its earlier repetition joined, and the end of neither earlier request counts', async () => {
    const early = await first.claim(owner);
    const one = await first.claim(owner, { retryCount: 1 });
    const two = await first.claim(owner, { retryCount: 2 });
    expect([one.task.id, two.task.id]).toEqual([early.task.id, early.task.id]);
    await early.finish(false);
    await one.finish(false);
    expect(await readStates(database)).toEqual(['waiting']);
    await two.finish(true);
    expect([await readStates(database), await countTasks(database, owner)]).toEqual([['delivered'], 1]);
  });

  test('a repetition joins the oldest task that no other repetition joined: those of ten requests get the ten tasks', async () => {
    const early: string[] = [];
    for (let index = 0; index < 10; index += 1) {
      early.push(await claimId(index % 2 === 0 ? first : second));
    }
    expect(await claimId(second, { retryCount: 1 })).toBe(early[0]);
    const joined = await Promise.all(
      Array.from({ length: 9 }, (_, i) => claimId(i % 2 === 0 ? first : second, { retryCount: 1 })),
    );
    expect(joined.toSorted()).toEqual(early.slice(1).toSorted());
    expect(await countTasks(database, owner)).toBe(10);
    expect(early).not.toContain(await claimId(first, { retryCount: 1 }));
  });

  test('a repetition that bought its task keeps it: that of another client joins its own, and its next one joins this', async () => {
    const bought = await claimId(first, { retryCount: 1 });
    const other = await claimId(second);
    expect(other).not.toBe(bought);
    expect(await claimId(second, { retryCount: 1 })).toBe(other);
    expect(await claimId(second, { retryCount: 2 })).toBe(bought);
    expect(await countTasks(database, owner)).toBe(2);
  });

  test('a repetition gets an answer that nobody received rather than a task that another request waits for', async () => {
    const waiting = await first.claim(owner);
    const cut = await first.claim(owner);
    await cut.finish(false);
    const again = await first.claim(owner, { retryCount: 1 });
    expect(again.task.id).toBe(cut.task.id);
    // The other request's repetition does not join what this one has taken over.
    expect(await claimId(first, { retryCount: 1 })).toBe(waiting.task.id);
  });

  test('a repetition joins no task of another key, another account or with another fingerprint', async () => {
    const early = await first.claim(owner);
    const stranger = await createTestAccount(database);
    const key = await addKey();
    const others = await Promise.all([
      claimId(first, { retryCount: 1 }, stranger),
      claimId(first, { retryCount: 1 }, { ...owner, apiKeyId: key }),
      claimId(first, { retryCount: 1, prompt: 'a dog' }),
    ]);
    expect(others).not.toContain(early.task.id);
    expect(await countTasks(database, owner)).toBe(3);
  });

  test('a repetition gets the error of the task that it joined; the one after it is a new task', async () => {
    const early = await first.claim(owner);
    const joined = await second.claim(owner, { retryCount: 1 });
    await fail(early.task.id);
    await early.finish(true);
    await joined.finish(true);
    expect([joined.task.id, await readStates(database)]).toEqual([early.task.id, ['delivered']]);
    expect(await claimId(first, { retryCount: 2 })).not.toBe(early.task.id);
  });
});

describe('equal requests', () => {
  test('equal requests are tasks of their own while all are waiting: fifty at once are fifty tasks', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, i) => claimId(i % 2 === 0 ? first : second)),
    );
    expect(new Set(ids).size).toBe(50);
    expect(await countTasks(database, owner)).toBe(50);
  });

  test('equal requests are tasks of their own once an answer was delivered', async () => {
    const whole = await first.claim(owner);
    await whole.finish(true);
    await whole.finish(false);
    expect(await claimId(second)).not.toBe(whole.task.id);
    expect(await readStates(database)).toEqual(['delivered', 'waiting']);
  });

  test('equal requests of which a client says that it repeats them get an answer that was written less than 30 s ago', async () => {
    const whole = await first.claim(owner);
    await whole.finish(true);
    const again = await second.claim(owner, { retryCount: 1 });
    expect(again.task.id).toBe(whole.task.id);
    await again.finish(true);
    await age(database, 30_000);
    expect(await claimId(first, { retryCount: 1 })).not.toBe(whole.task.id);
  });

  test('equal requests that come while one whose client has left is being accepted get its task', async () => {
    const leaving = new AbortController();
    let submit = (): void => undefined;
    const submitAfter = new Promise<void>((resolve) => {
      submit = resolve;
    });
    const cut = first.claim(owner, { closed: leaving.signal, submitAfter });
    leaving.abort();
    const next = claimId(first);
    submit();
    expect(await next).toBe((await cut).task.id);
    expect(await countTasks(database, owner)).toBe(1);
  });

  test('equal requests of one whose client has left get its task at once, in any process, whatever is still done for it', async () => {
    const leaving = new AbortController();
    const cut = await first.claim(owner, { closed: leaving.signal });
    leaving.abort();
    const again = await first.claim(owner);
    expect(again.task.id).toBe(cut.task.id);
    await again.finish(false);
    expect([await claimId(second), await countTasks(database, owner)]).toEqual([cut.task.id, 1]);
  }, 30_000);

  test('repetitions that come to another process while their first attempt is being accepted get its task', async () => {
    const leaving = new AbortController();
    const cut = first.claim(owner, { closed: leaving.signal, submitAfter: sleep(300) });
    leaving.abort();
    expect(await claimId(second, { retryCount: 1 })).toBe((await cut).task.id);
    expect(await countTasks(database, owner)).toBe(1);
  });

  test('repetitions that come to another process before the first one knows that the client has left get its task', async () => {
    const cut = await first.claim(owner);
    const next = claimId(second, { retryCount: 1 });
    // Longer than the time after which the first process renews its lease.
    await sleep(2 * TIMES.renewMs);
    await cut.finish(false);
    expect([await next, await countTasks(database, owner)]).toEqual([cut.task.id, 1]);
  });

  test('equal requests after one that ended with its whole answer are tasks of their own', async () => {
    const leaving = new AbortController();
    const whole = await first.claim(owner, { closed: leaving.signal });
    leaving.abort();
    await whole.finish(true);
    expect(await claimId(first)).not.toBe(whole.task.id);
    expect(await readStates(database)).toEqual(['delivered', 'waiting']);
  });

  test('requests buy nothing for a client that has left before', async () => {
    await expect(first.claim(owner, { closed: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await countTasks(database, owner)).toBe(0);
  });

  test('equal requests that come while the end of an earlier one is being recorded see that end', async () => {
    const cut = await first.claim(owner);
    void cut.finish(false);
    expect(await claimId(first)).toBe(cut.task.id);
  });
});
