import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AcquireOptions, createSemaphore, type Semaphore } from './wait-limits.js';

const turn = () => new Promise(setImmediate);

/** Requests permits and records in `granted` when they are there; `outcome` becomes the error message of a refused request. */
function request(semaphore: Semaphore, name: string, granted: string[], options?: AcquireOptions) {
  let release = (): void => undefined;
  const outcome = semaphore.acquire(options).then(
    (free) => {
      release = free;
      granted.push(name);
      return 'granted';
    },
    (error: Error) => error.message,
  );
  return { outcome, release: () => release() };
}

describe('a semaphore', () => {
  test('a semaphore runs as many actions at a time as it has permits, the others in the order of arrival', async () => {
    const semaphore = createSemaphore({ permits: 2 });
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const all = [0, 1, 2, 3].map((n) =>
      semaphore.run(async () => {
        started.push(n);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (n === 0) {
          throw new Error('failed');
        }
        return n;
      }),
    );
    await turn();
    expect(started).toEqual([0, 1]);
    ends[0]?.();
    await expect(all[0]).rejects.toThrow('failed');
    await turn();
    expect(started).toEqual([0, 1, 2]);
    ends[1]?.();
    await turn();
    ends[2]?.();
    ends[3]?.();
    expect(await Promise.all(all.slice(1))).toEqual([1, 2, 3]);
    expect(semaphore.available()).toBe(2);
  });

  test('a permit that is released twice counts once', async () => {
    const semaphore = createSemaphore({ permits: 1 });
    const release = await semaphore.acquire();
    expect(semaphore.available()).toBe(0);
    release();
    release();
    expect(semaphore.available()).toBe(1);
  });

  test('a request for many permits is not passed by later ones for few, and one for more than exist takes all', async () => {
    const semaphore = createSemaphore({ permits: 3 });
    const granted: string[] = [];
    const first = request(semaphore, 'first', granted, { count: 2 });
    const all = request(semaphore, 'all', granted, { count: 99 });
    const last = request(semaphore, 'last', granted);
    await turn();
    expect(granted).toEqual(['first']);
    expect(semaphore.available()).toBe(0);
    first.release();
    await turn();
    expect(granted).toEqual(['first', 'all']);
    all.release();
    await turn();
    expect(granted).toEqual(['first', 'all', 'last']);
    last.release();
    expect(semaphore.available()).toBe(3);
  });

  test('waiting keys are served in turns, however many requests one of them has', async () => {
    const semaphore = createSemaphore({ permits: 1 });
    const granted: string[] = [];
    const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    const requests = names.map((name) => request(semaphore, name, granted, { key: name.slice(0, 1) }));
    for (const i of [0, 3, 5, 1, 4, 2]) {
      await requests[i]?.outcome;
      requests[i]?.release();
    }
    expect(granted).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('a key that holds permits for long waits behind keys that hold fewer', async () => {
    const semaphore = createSemaphore({ permits: 3 });
    const granted: string[] = [];
    const slow = ['s1', 's2'].map((name) => request(semaphore, name, granted, { key: 'slow' }));
    const other = request(semaphore, 'q1', granted, { key: 'quick' });
    request(semaphore, 's3', granted, { key: 'slow' });
    const next = request(semaphore, 'q2', granted, { key: 'quick' });
    request(semaphore, 'q3', granted, { key: 'quick' });
    await turn();
    other.release();
    await next.outcome;
    next.release();
    await turn();
    expect(granted).toEqual(['s1', 's2', 'q1', 'q2', 'q3']);
    slow[0]?.release();
    await turn();
    expect(granted.at(-1)).toBe('s3');
  });

  test('a key that holds fewer permits is not held up by a large request of one that holds more', async () => {
    const semaphore = createSemaphore({ permits: 3 });
    const granted: string[] = [];
    request(semaphore, 'a1', granted, { key: 'a', count: 2 });
    request(semaphore, 'a2', granted, { key: 'a', count: 2 });
    await turn();
    request(semaphore, 'b1', granted, { key: 'b' });
    await turn();
    expect(granted).toEqual(['a1', 'b1']);
  });

  test('a semaphore that leaves room: a key gets no more permits than it leaves free, and its first request whatever is free', async () => {
    const semaphore = createSemaphore({ permits: 10, leavesRoom: 1 });
    const granted: string[] = [];
    const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3', 'c1', 'c2', 'd1', 'e1', 'f1'];
    const requests = all.map((name) => request(semaphore, name, granted, { key: name.slice(0, 1) }));
    await turn();
    expect(granted).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1', 'd1', 'e1']);
    requests[0]?.release();
    await turn();
    expect(granted.slice(10)).toEqual(['f1']);
    const large = createSemaphore({ permits: 10, leavesRoom: 1 });
    expect(await request(large, 'g1', granted, { key: 'g', count: 9 }).outcome).toBe('granted');
  });

  test('a semaphore that leaves three times as much room as a key holds gives a key a quarter of it', async () => {
    const semaphore = createSemaphore({ permits: 16, leavesRoom: 3 });
    const granted: string[] = [];
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'b4', 'c1', 'c2', 'c3']) {
      request(semaphore, name, granted, { key: name.slice(0, 1) });
    }
    await turn();
    expect(granted).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1', 'c2']);
  });

  test('an aborted request ends with the reason of its signal, and those behind it go on', async () => {
    const semaphore = createSemaphore({ permits: 2 });
    const granted: string[] = [];
    const controller = new AbortController();
    request(semaphore, 'first', granted);
    const large = request(semaphore, 'large', granted, { count: 2, signal: controller.signal });
    const small = request(semaphore, 'small', granted);
    await turn();
    expect(granted).toEqual(['first']);
    controller.abort(new Error('stopped'));
    expect(await large.outcome).toBe('stopped');
    expect(await small.outcome).toBe('granted');
    expect(await request(semaphore, 'late', granted, { signal: controller.signal }).outcome).toBe('stopped');
  });

  test('a wait that takes too long ends with the error of the semaphore, and no permit is lost', async () => {
    const createError = () => new Error('busy');
    const semaphore = createSemaphore({ permits: 1, timeout: { ms: 10, createError } });
    const granted: string[] = [];
    const first = request(semaphore, 'first', granted);
    expect(await request(semaphore, 'second', granted).outcome).toBe('busy');
    first.release();
    expect(semaphore.available()).toBe(1);
  });

  test('of one key no more wait than may: the next is refused at once, and other keys still wait', async () => {
    const createError = () => new Error('busy');
    const semaphore = createSemaphore({ permits: 1, timeout: { ms: 60_000, createError, maxWaiting: 1 } });
    const release = await semaphore.acquire({ key: 'a' });
    const waiting = semaphore.acquire({ key: 'a' });
    await expect(semaphore.acquire({ key: 'a' })).rejects.toThrow('busy');
    const other = semaphore.acquire({ key: 'b' });
    release();
    (await other)();
    (await waiting)();
    expect(semaphore.available()).toBe(1);
  });

  test('a permit that came free while the process was stopped ends the wait in time', async () => {
    const createError = () => new Error('busy');
    const semaphore = createSemaphore({ permits: 1, timeout: { ms: 10, createError } });
    const granted: string[] = [];
    const first = request(semaphore, 'first', granted);
    await first.outcome;
    // From here on the event loop runs expired timers first, then immediates, which stand for sockets.
    await turn();
    const second = request(semaphore, 'second', granted);
    setImmediate(first.release);
    const until = performance.now() + 30;
    while (performance.now() < until) {}
    expect(await second.outcome).toBe('granted');
  });

  test('refuseWaiting refuses all waiting requests at once, and later ones are served', async () => {
    const semaphore = createSemaphore({ permits: 2 });
    const granted: string[] = [];
    const first = request(semaphore, 'first', granted);
    const large = request(semaphore, 'large', granted, { count: 2 });
    const small = request(semaphore, 'small', granted, { key: 'other', count: 2 });
    await turn();
    semaphore.refuseWaiting(new Error('unreachable'));
    expect(await Promise.all([large.outcome, small.outcome])).toEqual(['unreachable', 'unreachable']);
    first.release();
    expect(await request(semaphore, 'next', granted, { count: 2 }).outcome).toBe('granted');
    expect(granted).toEqual(['first', 'next']);
  });

  test('permits are never granted twice, and callers of one key are served in the order of arrival', async () => {
    const requests = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 12 }), key: fc.constantFrom('a', 'b') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), requests, async (permits, asked) => {
        const semaphore = createSemaphore({ permits });
        const served: Record<string, number[]> = { a: [], b: [] };
        let held = 0;
        await Promise.all(
          asked.map(async ({ count, key }, i) => {
            const release = await semaphore.acquire({ count, key });
            served[key]?.push(i);
            held += Math.min(count, permits);
            expect(held).toBeLessThanOrEqual(permits);
            await Promise.resolve();
            held -= Math.min(count, permits);
            release();
          }),
        );
        for (const [key, order] of Object.entries(served)) {
          expect(order).toEqual(asked.flatMap((request, i) => (request.key === key ? [i] : [])));
        }
        expect(semaphore.available()).toBe(permits);
      }),
    );
  });

  test('a semaphore gives a permit at once or not at all, and follows a changed number', async () => {
    const semaphore = createSemaphore({ permits: 1 });
    const release = semaphore.tryAcquire();
    expect([release === null, semaphore.tryAcquire()]).toEqual([false, null]);
    let granted = false;
    const waiting = semaphore.acquire().then((end) => {
      granted = true;
      return end;
    });
    semaphore.resize(2);
    const second = await waiting;
    expect([granted, semaphore.available()]).toEqual([true, 0]);
    semaphore.resize(1);
    release?.();
    expect([semaphore.available(), semaphore.tryAcquire()]).toEqual([0, null]);
    second();
    expect(semaphore.tryAcquire()).not.toBeNull();
  });
});
