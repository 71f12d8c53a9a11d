import { describe, expect, jest, test } from '@jest/globals';
import { createTurns } from './create-turns.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  test('turns of the event loop let one caller pass in each, in order, and begin again after a pause', async () => {
    const awaitTurn = createTurns();
    for (let round = 0; round < 2; round++) {
      const passed: number[] = [];
      const all = [0, 1, 2, 3].map((caller) => awaitTurn().then(() => passed.push(caller)));
      const counts: number[] = [];
      for (let at = 0; at < 6; at++) {
        await turn();
        counts.push(passed.length);
      }
      await Promise.all(all);
      expect(passed).toEqual([0, 1, 2, 3]);
      expect(counts.every((count, at) => count - (counts[at - 1] ?? 0) <= 1)).toBe(true);
      expect(counts[0]).toBeLessThanOrEqual(1);
    }
  });

  test('turns of the event loop rest after two milliseconds of work, so that callers have a quarter of it at most', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    try {
      const awaitTurn = createTurns();
      let passed = 0;
      const all = Array.from({ length: 5 }, async () => {
        await awaitTurn();
        passed++;
        jest.advanceTimersByTime(1);
      });
      const passAfter = async (ms: number): Promise<number> => {
        jest.advanceTimersByTime(ms);
        for (let at = 0; at < 10; at++) {
          await turn();
        }
        return passed;
      };
      expect([await passAfter(0), await passAfter(5), await passAfter(1), await passAfter(6)]).toEqual([
        2, 2, 4, 5,
      ]);
      await Promise.all(all);
    } finally {
      jest.useRealTimers();
    }
  });
});
