import { eventually } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createConcurrencyLimiter } from './create-concurrency-limiter.js';

test('a lease that Redis takes too late is given back: the process has counted by itself', async () => {
  let answer = (_taken: number): void => undefined;
  const removed: string[] = [];
  const redis = {
    ping: () => Promise.resolve('PONG'),
    eval: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    zrem: (key: string) => Promise.resolve(removed.push(key)),
  } as unknown as Redis;
  let fallbacks = 0;
  const limiter = createConcurrencyLimiter({
    redis,
    prefix: 'p',
    leaseMs: 25_000,
    onFallback: () => {
      fallbacks += 1;
    },
  });
  const release = await limiter.tryAcquire([
    { key: 'account', limit: 1 },
    { key: 'host', limit: 2 },
  ]);
  expect([typeof release, fallbacks, removed]).toEqual(['function', 1, []]);
  answer(1);
  await eventually(() => expect(removed).toEqual(['p:account', 'p:host']));
});
