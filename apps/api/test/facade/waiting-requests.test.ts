import {
  createTestAccount,
  createTestDatabase,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { removeOldRequests } from '../../src/openai/requests/keep-requests.js';
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

const claimId = async (claims: TestClaims, options?: ClaimOptions): Promise<string> =>
  (await claims.claim(owner, options)).task.id;
describe('a process that is killed', () => {
  test('abandons its requests three seconds later, take-overs too', async () => {
    const cut = await first.claim(owner);
    await first.kill();
    await age(database, 3_000);
    const again = await second.claim(owner);
    expect(again.task.id).toBe(cut.task.id);
    await second.kill();
    await age(database, 3_000);
    const third = startClaims(database);
    expect(await claimId(third)).toBe(cut.task.id);
    await third.kill();
    expect(await countTasks(database, owner)).toBe(1);
  });

  test('a process that is killed is in doubt after a second and a half: an equal request waits until its lease is over', async () => {
    const cut = await first.claim(owner);
    await first.kill();
    await age(database, 1_500);
    expect(await claimId(second)).toBe(cut.task.id);
    expect(await countTasks(database, owner)).toBe(1);
  });

  test('a process that is killed is in doubt at once when a client repeats a request, or when this process has just started', async () => {
    const cut = await first.claim(owner);
    await first.kill();
    const again = await second.claim(owner, { retryCount: 1 });
    expect(again.task.id).toBe(cut.task.id);
    await second.kill();
    const restarted = startClaims(database, { ...TIMES, youngMs: 60_000 });
    expect(await claimId(restarted)).toBe(cut.task.id);
    await restarted.kill();
  });

  test('a process that is killed is out of doubt when it renews its lease: the equal request is a task of its own, and a marked repetition joins', async () => {
    const waiting = await first.claim(owner);
    await age(database, 1_600);
    expect(await claimId(second)).not.toBe(waiting.task.id);
    expect(await claimId(second, { retryCount: 1 })).toBe(waiting.task.id);
    await waiting.finish(true);
  });

  test('a process that is killed costs a request in doubt no task when that may not wait, when its client leaves or the process stops', async () => {
    await first.claim(owner);
    await first.kill();
    await age(database, 1_500);
    const left = new AbortController();
    left.abort();
    const refused = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
    await expect(second.claim(owner, { waitMs: 50 })).rejects.toEqual(refused);
    await expect(second.claim(owner, { closed: left.signal })).rejects.toEqual(refused);
    second.stopping.abort();
    await expect(second.claim(owner)).rejects.toEqual(refused);
    expect(await countTasks(database, owner)).toBe(1);
  });
});

describe('rows of waiting requests', () => {
  test('rows of waiting requests are abandoned when the response of their submit was lost after the commit', async () => {
    const lost = first.claim(owner, { losesResponse: true });
    await expect(lost).rejects.toThrow('connection lost');
    await eventually(async () => expect(await readStates(database)).toEqual(['abandoned']));
  });

  test('rows of waiting requests are abandoned when their process does not know them', async () => {
    const quick = startClaims(database, { ...TIMES, checkMs: 50 });
    await quick.claim(owner);
    const { task } = await quick.claim(owner, { prompt: 'unknown' });
    await database.pool.query("UPDATE facade_requests SET request_id = 'unknown' WHERE task_id = $1", [
      task.id,
    ]);
    await age(database, 10_000);
    await eventually(async () => expect(await readStates(database)).toEqual(['waiting', 'abandoned']));
    await quick.kill();
  });

  test('go once nobody can take them over, and an account keeps so many', async () => {
    const keep = await first.claim(owner);
    await (await first.claim(owner, { prompt: 'delivered' })).finish(true);
    await (await first.claim(owner, { prompt: 'abandoned' })).finish(false);
    await removeOldRequests(database.db);
    expect(await readStates(database)).toEqual(['waiting', 'delivered', 'abandoned']);
    await age(database, 31_000);
    await removeOldRequests(database.db, { batch: 1, maxAbandoned: 10 });
    expect(await readStates(database)).toEqual(['waiting', 'abandoned']);
    await removeOldRequests(database.db, { batch: 10, maxAbandoned: 0 });
    expect(await readStates(database)).toEqual(['waiting']);
    // The process renews its lease, which keeps the rows of its requests.
    await age(database, 20 * 60_000);
    await eventually(async () => {
      const { rows } = await database.pool.query(
        "SELECT 1 FROM facade_processes WHERE renewed_at > now() - interval '10 seconds'",
      );
      expect(rows).toHaveLength(1);
    });
    await removeOldRequests(database.db);
    expect(await readStates(database)).toEqual(['waiting']);
    await keep.finish(false);
    await age(database, 16 * 60_000);
    await removeOldRequests(database.db);
    expect(await readStates(database)).toEqual([]);
  });

  test('rows of waiting requests are inserted with their task or not at all', async () => {
    const poor = await createTestAccount(database, { balanceMicros: 0n });
    await expect(first.claim(poor)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(await readStates(database)).toEqual([]);
    await first.claim(owner);
    const { rows } = await database.pool.query(
      `SELECT f.xmin = t.xmin AS together FROM facade_requests f JOIN tasks t ON t.id = f.task_id`,
    );
    expect(rows).toEqual([{ together: true }]);
    const key = (suffix: string) =>
      database.pool.query('UPDATE facade_requests SET api_key_id = $1', [owner.apiKeyId + suffix]);
    await key('x');
    await expect(database.checkInvariants()).rejects.toThrow('I31 ');
    await key('');
  });
});
