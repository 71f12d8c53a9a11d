import {
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { age, countTasks, readStates } from './support/request-rows.js';
import { type ClaimOptions, startClaims, type TestClaims, TIMES } from './support/start-claims.js';

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

const JOIN = { joinEqual: true } as const;
const joinId = async (claims: TestClaims, options: ClaimOptions = {}, account = owner): Promise<string> =>
  (await claims.claim(account, { ...JOIN, ...options })).task.id;
/** Claims for many equal requests at once, in two processes. */
const joinAll = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => joinId(i % 2 === 0 ? first : second)));

describe('a key whose equal requests share tasks', () => {
  test('every equal request joins the task under way, in any process, marked or not', async () => {
    const id = await joinId(first);
    const others = [
      await joinId(first),
      await joinId(second),
      await joinId(second, { retryCount: 1 }),
      await joinId(first, { retryCount: 1 }),
      await joinId(first),
    ];
    expect(new Set(others)).toEqual(new Set([id]));
    expect(await countTasks(database, owner)).toBe(1);
  });

  test('requests whose added fields differ are tasks of their own, also at once', async () => {
    const fingerprints = [1, 2, 3].map((added) => ({
      first: Buffer.alloc(32, 9),
      added: Buffer.alloc(32, added),
    }));
    const ids = await Promise.all(
      fingerprints.flatMap((fingerprint) => [first, second].map((claims) => joinId(claims, { fingerprint }))),
    );
    expect(new Set(ids).size).toBe(3);
    expect(await countTasks(database, owner)).toBe(3);
  });

  test('fifty equal requests at once are one task, in two processes', async () => {
    expect(new Set(await joinAll(50)).size).toBe(1);
    expect(await countTasks(database, owner)).toBe(1);
  });

  test('equal requests at once share the only image that there is money for', async () => {
    await database.pool.query('UPDATE accounts SET max_open_tasks = 1 WHERE id = $1', [owner.id]);
    expect(new Set(await joinAll(20)).size).toBe(1);
    await expect(joinId(first, { prompt: 'a dog' })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await countTasks(database, owner)).toBe(1);
  });

  test('the request that joined last ends the task for all: its answer is taken over when it breaks off', async () => {
    const early = await first.claim(owner, JOIN);
    const late = await second.claim(owner, JOIN);
    // A relay took this for a client that has left.
    await early.finish(true);
    expect(await readStates(database)).toEqual(['waiting']);
    await late.finish(false);
    expect(await readStates(database)).toEqual(['abandoned']);
    const last = await first.claim(owner, JOIN);
    expect(last.task.id).toBe(early.task.id);
    await last.finish(true);
    expect([await readStates(database), await countTasks(database, owner)]).toEqual([['delivered'], 1]);
  });

  test('the cost is that of the request that made the task or took it over, and of none that joined', async () => {
    const early = await first.claim(owner, JOIN);
    const joined = [await first.claim(owner, JOIN), await second.claim(owner, JOIN)];
    expect([early, ...joined].map(({ isPayer }) => isPayer)).toEqual([true, false, false]);
    await joined[1]?.finish(false);
    expect(await first.claim(owner, JOIN)).toMatchObject({ task: { id: early.task.id }, isPayer: true });
    const key = { prompt: 'a dog', idempotencyKey: 'one' };
    expect(await first.claim(owner, key)).toMatchObject({ replayed: false, isPayer: true });
    expect(await second.claim(owner, key)).toMatchObject({ replayed: true, isPayer: false });
  });

  test('an equal request is a new task once the answer was delivered', async () => {
    const early = await first.claim(owner, JOIN);
    await early.finish(true);
    expect(await joinId(first)).not.toBe(early.task.id);
    expect(await readStates(database)).toEqual(['delivered', 'waiting']);
  });

  test('an answer that nobody fetched in time holds up no equal request before its row is removed', async () => {
    const cut = await first.claim(owner, JOIN);
    await cut.finish(false);
    await age(database, 16 * 60_000);
    expect(await joinId(second)).toBe(cut.task.id);
  });

  test('requests of another key, another account or with another fingerprint are tasks of their own, and so are those with idempotency keys', async () => {
    const id = await joinId(first);
    const stranger = await createTestAccount(database);
    const key = `${owner.apiKeyId}2`;
    await database.pool.query(
      'INSERT INTO api_keys (id, account_id, name, prefix, hash) SELECT $1::text, account_id, name, prefix, sha256(hash) FROM api_keys WHERE id = $2',
      [key, owner.apiKeyId],
    );
    const others = [
      await joinId(second, {}, stranger),
      await joinId(second, {}, { ...owner, apiKeyId: key }),
      await joinId(second, { prompt: 'a dog' }),
      await joinId(second, { idempotencyKey: 'one' }),
      await joinId(second, { idempotencyKey: 'two' }),
    ];
    expect(new Set([id, ...others]).size).toBe(6);
  });

  test('a request joins a task of the time before its key shared tasks, and tasks are bought again when it does no more', async () => {
    const early = (await first.claim(owner)).task.id;
    expect(await joinId(second)).toBe(early);
    const separate = (await second.claim(owner)).task.id;
    expect(separate).not.toBe(early);
    expect(await joinId(first)).toBe(early);
  });

  test('a request waits for the doubt about the process of the task under way, and takes it over when that is gone', async () => {
    const id = await joinId(first);
    await first.kill();
    await age(database, 2_000);
    const third = startClaims(database, { ...TIMES, youngMs: 60_000 });
    try {
      expect(await joinId(third)).toBe(id);
      expect(await countTasks(database, owner)).toBe(1);
    } finally {
      await third.kill();
    }
  });
});
