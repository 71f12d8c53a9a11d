import { describe, expect, test } from '@jest/globals';
import { TIMED_OUT, withTimeout } from './wait-limits.js';

const never = () => new Promise<string>(() => undefined);

/** Stops the event loop of this process for some milliseconds, as a stopped process would be. */
const stopProcess = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until) {}
};

describe('withTimeout', () => {
  test('withTimeout returns the value of a promise that resolves in time and throws what it rejects with', async () => {
    expect(await withTimeout(60_000, Promise.resolve('value'))).toBe('value');
    await expect(withTimeout(60_000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  test('withTimeout returns TIMED_OUT for a promise that does not settle in time, and drops its later rejection', async () => {
    expect(await withTimeout(5, never())).toBe(TIMED_OUT);
    let reject: (error: Error) => void = () => undefined;
    const late = new Promise<string>((_resolve, onError) => {
      reject = onError;
    });
    expect(await withTimeout(5, late)).toBe(TIMED_OUT);
    reject(new Error('late'));
    await new Promise(setImmediate);
  });

  test('withTimeout counts a result that arrived while the process was stopped', async () => {
    // From here on the event loop runs expired timers first, then immediates, which stand for sockets.
    await new Promise(setImmediate);
    const result = withTimeout(10, new Promise((resolve) => setImmediate(() => resolve('arrived'))));
    stopProcess(30);
    expect(await result).toBe('arrived');
  });
});
