import { describe, expect, test } from '@jest/globals';
import { createRedisGuard } from './create-redis-guard.js';

const never = () => new Promise<string>(() => undefined);
const fails = () => Promise.reject(new Error('down'));
const works = () => Promise.resolve('ok');
const timed = async (action: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
};

describe('the Redis guard', () => {
  test('the Redis guard returns the result of the action while Redis responds', async () => {
    expect(await createRedisGuard({ ping: works }).run(works)).toBe('ok');
  });

  test('only the first callers wait for a Redis that hangs', async () => {
    const { run } = createRedisGuard({ ping: never, timeoutMs: 50, breakMs: 10_000 });
    const first = await Promise.all([1, 2, 3].map(() => timed(() => run(never))));
    const later = await Promise.all([1, 2, 3].map(() => timed(() => run(never))));
    expect(Math.max(...first)).toBeLessThan(200);
    expect(Math.max(...later)).toBeLessThan(20);
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
