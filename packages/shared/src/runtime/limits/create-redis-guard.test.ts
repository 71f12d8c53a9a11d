import { describe, expect, test } from '@jest/globals';
import { createRedisGuard } from './create-redis-guard.js';

const never = () => new Promise<string>(() => undefined);
const fails = () => Promise.reject(new Error('down'));
const works = () => Promise.resolve('ok');
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const HOUR_MS = 3_600_000;

describe('the Redis guard', () => {
  test('the Redis guard returns the result of the action while Redis responds', async () => {
    expect(await createRedisGuard({ ping: works }).run(works)).toBe('ok');
  });

  test('only the first callers wait for a Redis that hangs', async () => {
    const { run } = createRedisGuard({ ping: never, timeoutMs: 500, breakMs: HOUR_MS });
    const isAnswered = (answer: Promise<unknown>) =>
      Promise.race([answer.then(() => true), nextTurn().then(() => false)]);
    const first = [1, 2, 3].map(() => run(never));
    expect(await Promise.all(first.map(isAnswered))).toEqual([false, false, false]);
    await Promise.all(first);
    expect(await Promise.all([1, 2, 3].map(() => isAnswered(run(never))))).toEqual([true, true, true]);
  });

  test('a failure opens its circuit at once, and no action runs until a ping has succeeded', async () => {
    let pings = 0;
    let respond = fails;
    const ping = () => {
      pings += 1;
      return respond();
    };
    const { run } = createRedisGuard({ ping, timeoutMs: 50, breakMs: 0 });
    expect(await run(fails)).toBeNull();
    let tried = 0;
    const attempt = () => {
      tried += 1;
      return works();
    };
    expect(await run(attempt)).toBeNull();
    expect([pings, tried]).toEqual([1, 0]);
    respond = works as never;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await run(attempt)).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await run(attempt)).toBe('ok');
    expect([pings, tried]).toEqual([2, 1]);
  });
});
