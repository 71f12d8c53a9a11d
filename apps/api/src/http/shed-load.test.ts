import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createLoadMonitor } from './shed-load.js';

afterEach(() => {
  jest.useRealTimers();
});

describe('the load', () => {
  test('the load is too high while more requests are under way than allowed', () => {
    const load = createLoadMonitor({ maxPending: 2 });
    for (let i = 0; i < 3; i++) {
      load.begin();
    }
    expect(load.isTooHigh()).toBe(true);
    load.end();
    expect(load.isTooHigh()).toBe(false);
    load.stop();
  });

  test('the load is too high while the event loop is late again and again, not after one pause', () => {
    jest.useFakeTimers();
    let now = 0;
    const load = createLoadMonitor({ maxLagMs: 100, everyMs: 10, now: () => now });
    const round = (lateMs: number) => {
      now += 10 + lateMs;
      jest.advanceTimersByTime(10);
      return load.isTooHigh();
    };
    expect([round(60_000), round(0), round(200), round(200), round(200), round(0)]).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
    load.stop();
  });
});
