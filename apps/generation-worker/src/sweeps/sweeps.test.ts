import { describe, expect, test } from '@jest/globals';
import { eachWhileItWorks } from './each-while-it-works.js';
import { watchRounds } from './watch-rounds.js';

describe('a round over many rows', () => {
  const run = async (bad: readonly number[]) => {
    const done: number[] = [];
    const failed: number[] = [];
    const action = async (item: number) => {
      if (bad.includes(item)) throw new Error('no');
      done.push(item);
    };
    await eachWhileItWorks([1, 2, 3, 4, 5, 6], action, (item) => void failed.push(item));
    return { done, failed };
  };

  test('goes on after a row that fails', async () => {
    expect(await run([2, 4])).toEqual({ done: [1, 3, 5, 6], failed: [2, 4] });
  });

  test('ends when the third one fails: something larger is wrong', async () => {
    expect(await run([1, 2, 4])).toEqual({ done: [3], failed: [1, 2, 4] });
  });
});

test('a loop whose round does not end is named', () => {
  let now = 0;
  const rounds = watchRounds(['claim', 'orphans'], { withinMs: 100, now: () => now });
  now = 90;
  rounds.ended('claim');
  expect(rounds.hung()).toBeNull();
  now = 150;
  expect(rounds.hung()).toBe('orphans');
  rounds.ended('orphans');
  expect(rounds.hung()).toBeNull();
});
