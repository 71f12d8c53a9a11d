import { describe, expect, test } from '@jest/globals';
import { createMicroBatch } from './create-micro-batch.js';

/** A batch whose runs end when the test says so. */
function scene(
  options: {
    maxItems?: number;
    concurrency?: number;
    maxWaitMs?: number;
    isShared?: boolean;
    maxWeight?: number;
    spreadsResults?: boolean;
    getGroup?: (item: number) => unknown;
  } = {},
) {
  const batches: number[][] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const batch = createMicroBatch<number, number>({
    run: (items) => {
      batches.push([...items]);
      return new Promise((resolve, reject) => {
        ends.push({ resolve: () => resolve(items.map((item) => item * 10)), reject });
      });
    },
    maxItems: options.maxItems ?? 100,
    concurrency: options.concurrency ?? 1,
    maxWaitMs: options.maxWaitMs ?? 0,
    isShared: () => options.isShared ?? false,
    spreadsResults: options.spreadsResults ?? false,
    ...(options.getGroup && { getGroup: options.getGroup }),
    ...(options.maxWeight !== undefined && { weight: { max: options.maxWeight, weigh: (item) => item } }),
  });
  return { batches, ends, batch };
}
const turn = () => new Promise(setImmediate);

describe('a micro-batch', () => {
  test('a micro-batch runs one item at once, and what comes meanwhile together', async () => {
    const { batches, ends, batch } = scene();
    const first = batch.add(1);
    await turn();
    const rest = [2, 3, 4].map(batch.add);
    await turn();
    expect(batches).toEqual([[1]]);
    ends[0]?.resolve();
    expect(await first).toBe(10);
    await turn();
    expect(batches).toEqual([[1], [2, 3, 4]]);
    ends[1]?.resolve();
    expect(await Promise.all(rest)).toEqual([20, 30, 40]);
    await turn();
    expect(batch.isIdle()).toBe(true);
  });

  test('a micro-batch takes what comes in one turn of the event loop together, in order, no more than allowed', async () => {
    const { batches, ends, batch } = scene({ maxItems: 2, concurrency: 2 });
    const all = [1, 2, 3, 4, 5].map(batch.add);
    await turn();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    ends[1]?.resolve();
    await turn();
    expect(batches[2]).toEqual([5]);
    ends[0]?.resolve();
    ends[2]?.resolve();
    expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50]);
  });

  test('a micro-batch takes no more together than may weigh together; an item that weighs more goes alone', async () => {
    const { batches, ends, batch } = scene({ maxWeight: 10, maxItems: 3 });
    const all = [4, 6, 3, 20, 1, 1, 1, 1].map(batch.add);
    for (let n = 0; n < 5; n += 1) {
      await turn();
      ends[n]?.resolve();
    }
    await Promise.all(all);
    expect(batches).toEqual([[4, 6], [3], [20], [1, 1, 1], [1]]);
  });

  test('a micro-batch starts another batch only after the longest wait, so that one that is stuck does not hold up all', async () => {
    const { batches, ends, batch } = scene({ concurrency: 2, maxWaitMs: 30 });
    const stuck = batch.add(1);
    await turn();
    const second = batch.add(2);
    await turn();
    expect(batches).toEqual([[1]]);
    while (batches.length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(batches[1]).toEqual([2]);
    ends[1]?.resolve();
    expect(await second).toBe(20);
    ends[0]?.resolve();
    await stuck;
    await turn();
    expect(batch.isIdle()).toBe(true);

    const first = batch.add(3);
    await turn();
    const next = batch.add(4);
    ends[2]?.resolve();
    await first;
    const later = batch.add(5);
    // Longer than the longest wait: the batch has begun before.
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(batches.slice(2)).toEqual([[3], [4, 5]]);
    ends[3]?.resolve();
    expect(await Promise.all([next, later])).toEqual([40, 50]);
  });

  test('a micro-batch never runs two batches of one group at a time; items of other groups go past those that wait for theirs', async () => {
    const { batches, ends, batch } = scene({ concurrency: 2, getGroup: (item) => item % 2 });
    const odd = batch.add(1);
    await turn();
    const rest = [3, 2, 5, 4].map(batch.add);
    await turn();
    expect(batches).toEqual([[1], [2, 4]]);
    ends[1]?.resolve();
    expect(await Promise.all([rest[1], rest[3]])).toEqual([20, 40]);
    await turn();
    expect(batches).toEqual([[1], [2, 4]]);
    ends[0]?.resolve();
    await odd;
    await turn();
    expect(batches).toEqual([[1], [2, 4], [3, 5]]);
    ends[2]?.resolve();
    expect(await Promise.all(rest)).toEqual([30, 20, 50, 40]);
    expect(batch.isIdle()).toBe(true);
  });

  test('a failure meets its batch only, or those who wait as well when it is shared', async () => {
    for (const isShared of [false, true]) {
      const { ends, batch } = scene({ isShared });
      const first = batch.add(1).catch((error: Error) => error.message);
      await turn();
      const second = batch.add(2).catch((error: Error) => error.message);
      ends[0]?.reject(new Error('down'));
      expect(await first).toBe('down');
      await turn();
      ends[1]?.resolve();
      expect(await second).toBe(isShared ? 'down' : 20);
      await turn();
      const third = batch.add(3);
      await turn();
      ends.at(-1)?.resolve();
      expect(await third).toBe(30);
    }
  });

  test('a micro-batch that spreads its results hands them out over several turns, and starts the next batch meanwhile', async () => {
    const { batches, ends, batch } = scene({ spreadsResults: true });
    const handed: number[] = [];
    const items = Array.from({ length: 20 }, (_, i) => i);
    const all = items.map((item) => batch.add(item).then(() => void handed.push(item)));
    await turn();
    const next = batch.add(99);
    ends[0]?.resolve();
    await turn();
    expect(batches).toEqual([items, [99]]);
    expect(handed.length).toBeLessThan(items.length);
    await Promise.all(all);
    expect(handed).toEqual(items);
    ends[1]?.resolve();
    expect(await next).toBe(990);
  });

  test('a result that fails before its turn fails its caller alone', async () => {
    const batch = createMicroBatch<number, number>({
      run: async (items) =>
        items.map((item) => (item === 19 ? Promise.reject(new Error('broke')) : Promise.resolve(item))),
      maxItems: 100,
      concurrency: 1,
      spreadsResults: true,
      isShared: () => true,
    });
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => batch.add(i)));
    expect(all.map(({ status }) => status)).toEqual([...Array(19).fill('fulfilled'), 'rejected']);
  });
});
