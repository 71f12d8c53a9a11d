import { describe, expect, test } from '@jest/globals';
import { createReadiness, pingStorage } from './health.js';

const fine = () => Promise.resolve();
const broken = () => Promise.reject(new Error('down'));
const hanging = () => new Promise<void>(() => undefined);
const check = (pings: Partial<Record<'postgres' | 'redis' | 'storage', () => Promise<unknown>>>) =>
  createReadiness({ isDraining: () => false, postgres: fine, redis: fine, storage: fine, ...pings }).check();

describe('readiness', () => {
  test('readiness reports each dependency by itself', async () => {
    expect(await check({})).toEqual({ draining: false, postgres: 'ok', redis: 'ok', storage: 'ok' });
    expect(await check({ redis: broken })).toMatchObject({
      postgres: 'ok',
      redis: 'degraded',
      storage: 'ok',
    });
  });

  test('readiness resolves within a second when all dependencies hang', async () => {
    const begun = performance.now();
    const state = await check({ postgres: hanging, redis: hanging, storage: hanging });
    expect(state).toMatchObject({ postgres: 'degraded', redis: 'degraded', storage: 'degraded' });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test('readiness sends one ping at a time to each dependency, however many callers check', async () => {
    let pings = 0;
    const readiness = createReadiness({
      isDraining: () => false,
      postgres: async () => {
        pings++;
      },
      redis: fine,
      storage: fine,
    });
    await Promise.all(Array.from({ length: 20 }, () => readiness.check()));
    expect(pings).toBe(1);
  });

  test('a database that is away is no fault of the object store', async () => {
    await expect(pingStorage({ ping: fine }, { run: broken })).resolves.toBeUndefined();
    await expect(pingStorage({ ping: broken }, { run: broken })).rejects.toThrow('down');
  });
});
