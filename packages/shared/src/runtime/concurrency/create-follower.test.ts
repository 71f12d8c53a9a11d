import { describe, expect, test } from '@jest/globals';
import { createFollower } from './create-follower.js';

const HOUR_MS = 3_600_000;

/** Follower with a clock of its own, whose reads the test ends. */
function start() {
  let time = 0;
  const reads: PromiseWithResolvers<void>[] = [];
  const stale: unknown[] = [];
  const { follow, read } = createFollower({
    read: () => {
      const pending = Promise.withResolvers<void>();
      reads.push(pending);
      return pending.promise;
    },
    onStale: (error) => stale.push(error),
    now: () => time,
  });
  return {
    follow,
    read,
    reads,
    stale,
    pass: (ms: number) => {
      time += ms;
    },
    /** Ends the read under way. */
    answer: (error?: Error) => (error ? reads.at(-1)?.reject(error) : reads.at(-1)?.resolve()),
  };
}

/** Says whether a promise is settled after everything that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<false>((done) => setImmediate(done, false))]);
}

/** Follower that has read once. */
async function startRead() {
  const follower = start();
  const first = follower.follow();
  follower.answer();
  await first;
  return follower;
}

describe('a follower', () => {
  test('the first call after a quiet hour waits for one read that all share', async () => {
    const { follow, reads, pass, answer, stale } = await startRead();
    pass(HOUR_MS);
    const calls = [follow(), follow(), follow()];
    expect(await Promise.all(calls.map(isSettled))).toEqual([false, false, false]);
    expect(reads).toHaveLength(2);
    answer();
    await Promise.all(calls);
    await follow();
    expect([reads.length, stale]).toEqual([2, []]);
  });

  test('nobody waits while it is at most three seconds old, and it is read anew after one', async () => {
    const { follow, reads, pass } = await startRead();
    pass(1_000);
    await follow();
    expect(reads).toHaveLength(1);
    pass(2_000);
    await follow();
    expect(reads).toHaveLength(2);
    pass(1);
    expect(await isSettled(follow())).toBe(false);
    expect(reads).toHaveLength(2);
  });

  test('a read that takes long counts from its beginning', async () => {
    const { follow, pass, answer } = await startRead();
    pass(2_000);
    await follow();
    pass(3_500);
    answer();
    await new Promise(setImmediate);
    expect(await isSettled(follow())).toBe(false);
  });

  test('where a read fails, the old state does, is told once a second, and the next reads are not waited for meanwhile', async () => {
    const { follow, reads, pass, answer, stale } = await startRead();
    pass(HOUR_MS);
    const calls = [follow(), follow()];
    const away = new Error('away');
    answer(away);
    await Promise.all(calls);
    expect(stale).toEqual([away]);
    await follow();
    expect(reads).toHaveLength(3);
    pass(999);
    await follow();
    expect(stale).toHaveLength(1);
    pass(1);
    const later = follow();
    expect(await isSettled(later)).toBe(false);
    answer();
    await later;
    expect(stale).toHaveLength(1);
  });

  test('a read without an answer is waited for half a second at most', async () => {
    const { follow, pass, stale } = await startRead();
    pass(HOUR_MS);
    const begun = performance.now();
    await follow();
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(stale).toEqual([new Error('no answer in time')]);
  });

  test('a read at once throws what it throws, and counts as read otherwise', async () => {
    const { follow, read, reads, pass, answer } = await startRead();
    pass(HOUR_MS);
    const failing = read();
    answer(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    const reading = read();
    answer();
    await reading;
    await follow();
    expect(reads).toHaveLength(3);
  });
});
