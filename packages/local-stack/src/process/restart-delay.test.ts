import { expect, test } from '@jest/globals';
import { getRestartDelay } from './restart-delay.js';

test('a process is started again at once, later the more often it ends early, and at once again after a good run', () => {
  const delays = [0];
  for (let n = 0; n < 9; n += 1) {
    delays.push(getRestartDelay(delays.at(-1) ?? 0, 50));
  }
  expect(delays.slice(1)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  expect(getRestartDelay(10_000, 60_000)).toBe(100);
});
