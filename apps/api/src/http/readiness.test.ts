import { describe, expect, test } from '@jest/globals';
import { createReadiness } from './readiness.js';

const fine = () => Promise.resolve();
const broken = () => Promise.reject(new Error('down'));
const hanging = () => new Promise<void>(() => undefined);
const look = (pings: Partial<Record<'postgres' | 'redis' | 'storage', () => Promise<unknown>>>) =>
  createReadiness({ isDraining: () => false, postgres: fine, redis: fine, storage: fine, ...pings }).look();

describe('readiness', () => {
  test('reports each dependency by itself', async () => {
    expect(await look({})).toEqual({ draining: false, postgres: 'ok', redis: 'ok', storage: 'ok' });
    expect(await look({ redis: broken })).toMatchObject({ postgres: 'ok', redis: 'degraded', storage: 'ok' });
  });

  test('answers within a second when everything hangs', async () => {
    const begun = performance.now();
    const state = await look({ postgres: hanging, redis: hanging, storage: hanging });
    expect(state).toMatchObject({ postgres: 'degraded', redis: 'degraded', storage: 'degraded' });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test('asks one question at a time, however many look', async () => {
    let asked = 0;
    const readiness = createReadiness({
      isDraining: () => false,
      postgres: async () => {
        asked++;
      },
      redis: fine,
      storage: fine,
    });
    await Promise.all(Array.from({ length: 20 }, () => readiness.look()));
    expect(asked).toBe(1);
  });
});
