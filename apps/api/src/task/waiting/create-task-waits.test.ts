import { describe, expect, test } from '@jest/globals';
import { createTaskWaits, type TaskWaits, type WaitBounds, type WaitForEnd } from './create-task-waits.js';

const BOUNDS: WaitBounds = { maxOfAccount: 3, maxWithoutHold: 2, maxPlaces: 4, tickMs: 15, gatherMs: 5 };

function start(bounds: Partial<WaitBounds> = {}) {
  const stop = new AbortController();
  const ended = new Set<string>();
  const looks: (readonly string[])[] = [];
  const counts: number[] = [];
  const waits = createTaskWaits({
    findEnded: (taskIds) => {
      looks.push(taskIds);
      return Promise.resolve(taskIds.filter((taskId) => ended.has(taskId)));
    },
    signal: stop.signal,
    onCount: (places) => counts.push(places),
    bounds: { ...BOUNDS, ...bounds },
  });
  return { waits, stop, ended, looks, counts };
}

/** Function that takes a place and waits for a task. */
function enter(waits: TaskWaits, accountId = 'acc_a', closed = new AbortController()) {
  const join = waits.enter(accountId, closed.signal);
  return (id: string, ms: number): ReturnType<WaitForEnd> => {
    const wait = join?.({ id, status: 'pending' });
    if (!wait) {
      throw new Error('there was no place');
    }
    return wait(ms);
  };
}

describe('requests that wait', () => {
  test('all wait by one statement a tick, and each ends when its own task has ended', async () => {
    const { waits, stop, ended, looks } = start();
    const wait = enter(waits);
    const [first, again, other] = [wait('gen_1', 5_000), wait('gen_1', 5_000), wait('gen_2', 5_000)];
    ended.add('gen_1');
    expect([await first, await again]).toEqual(['ended', 'ended']);
    expect(looks).toEqual(Array.from(looks, () => ['gen_1', 'gen_2']));
    stop.abort();
    expect(await other).toBe('over');
  });

  test('cost nothing while nobody waits', async () => {
    const { waits, stop, looks } = start();
    await enter(waits)('gen_1', 40);
    const count = looks.length;
    await enter(waits, 'acc_b')('gen_2', 1).then(() => waits.hear('gen_2'));
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(count).toBeGreaterThan(0);
    expect(looks.filter((taskIds) => taskIds.length === 0)).toEqual([]);
    stop.abort();
  });

  test('requests that wait are answered long before the tick when the end is heard of, and never because of a lie', async () => {
    const { waits, stop, ended, looks } = start({ tickMs: 60_000 });
    await new Promise(setImmediate);
    const wait = enter(waits);
    const waiting = [wait('gen_1', 10_000), wait('gen_2', 40)];
    ended.add('gen_1');
    for (const taskId of ['gen_1', 'gen_1', 'gen_2', 'gen_3']) {
      waits.hear(taskId);
    }
    expect(await Promise.all(waiting)).toEqual(['ended', 'over']);
    expect(looks).toEqual([['gen_1', 'gen_2']]);
    stop.abort();
  });

  test('go on when the database does not answer', async () => {
    const stop = new AbortController();
    let looks = 0;
    const waits = createTaskWaits({
      findEnded: (taskIds) => (++looks < 3 ? Promise.reject(new Error('gone')) : Promise.resolve(taskIds)),
      signal: stop.signal,
      bounds: BOUNDS,
    });
    const waiting = enter(waits)('gen_1', 5_000);
    waits.hear('gen_1');
    expect(await waiting).toBe('ended');
    stop.abort();
  });

  test('end when the client leaves, and give their place back', async () => {
    const { waits, stop, counts } = start();
    const closed = new AbortController();
    const waiting = enter(waits, 'acc_a', closed)('gen_1', 60_000);
    closed.abort();
    expect(await waiting).toBe('over');
    expect(counts).toEqual([1, 0]);
    const left = new AbortController();
    left.abort();
    expect(await enter(waits, 'acc_a', left)('gen_1', 60_000)).toBe('over');
    expect(counts).toEqual([1, 0]);
    stop.abort();
  });

  test('all end at once when the process stops, later ones too', async () => {
    const { waits, stop } = start({ maxOfAccount: 200, maxPlaces: 400 });
    const waiting = Array.from({ length: 100 }, (_, i) => enter(waits)(`gen_${i}`, 60_000));
    expect(waits.isStopped()).toBe(false);
    stop.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['over']));
    expect(await enter(waits)('gen_1', 60_000)).toBe('over');
    expect(waits.isStopped()).toBe(true);
  });
});
