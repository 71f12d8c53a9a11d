import { describe, expect, test } from '@jest/globals';
import { watchLoops } from './start-sweeps.js';
import { sweepItems } from './sweep-items.js';

describe('sweeps', () => {
  const run = async (items: readonly number[], bad: readonly number[]) => {
    const done: number[] = [];
    const failed: number[] = [];
    let progress = 0;
    const action = async (item: number) => {
      if (bad.includes(item)) {
        throw new Error('no');
      }
      done.push(item);
    };
    const onError = (item: number) => void failed.push(item);
    const more = await sweepItems(items, { action, onError, noteProgress: () => (progress += 1) });
    return { done, failed, progress, more };
  };

  test('a batch of a sweep serves every item, however many fail before it, and notes progress after each', async () => {
    expect(await run([1, 2, 3, 4, 5], [1, 2, 3, 4])).toEqual({
      done: [5],
      failed: [1, 2, 3, 4],
      progress: 5,
      more: true,
    });
  });

  test.each([
    ['nothing succeeded', [1, 2]],
    ['there was nothing', []],
  ])('a batch of a sweep is followed by another at once unless %s', async (_what, items) => {
    expect((await run(items, items)).more).toBe(false);
  });
});

test('a loop without progress is named, whatever progress the others make', () => {
  let now = 0;
  const watch = watchLoops(['claim', 'orphans'], { withinMs: 100, now: () => now });
  now = 90;
  watch.noteProgress('claim');
  expect(watch.hung()).toBeNull();
  now = 150;
  expect(watch.hung()).toBe('orphans');
  watch.noteProgress('orphans');
  expect(watch.hung()).toBeNull();
});
