import { describe, expect, test } from '@jest/globals';
import type { Candidate, ImageProvider } from '../providers/port.js';
import { createPermits } from './create-permits.js';

const candidate = (more: Partial<Candidate> = {}): Candidate => ({
  provider: { name: 'a', upstream: true, asynchronous: false } as ImageProvider,
  model: 'm',
  key: null,
  takesResolution: true,
  options: {},
  maxImagesPerCall: 1,
  concurrency: 1,
  listCostMicros: 1n,
  ...more,
});
const task = (id: string, accountId = 'acc', attempt = 1) => ({ id, accountId, attempt });
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('permits', () => {
  test('permits go to waiting tasks in turns of accounts, one at a time, and before tasks that come later', async () => {
    const permits = createPermits();
    const one = candidate();
    const release = permits.tryAcquire(one, task('running'));
    const woken: string[] = [];
    const wake = (id: string) => async () => {
      woken.push(id);
      permits.tryAcquire(one, task(id))?.();
    };
    for (const id of ['x1', 'x2', 'x3']) {
      permits.wait([one], task(id, 'x'), wake(id));
    }
    permits.wait([one], task('y1', 'y'), wake('y1'));
    await settle();
    expect([permits.tryAcquire(one, task('late')), woken]).toEqual([null, []]);
    release?.();
    for (let i = 0; i < 20; i += 1) {
      await settle();
    }
    expect(woken.indexOf('y1')).toBeLessThan(woken.indexOf('x2'));
    expect(woken).toHaveLength(4);
    expect(permits.isFree(one, task('late'))).toBe(true);
  });

  test('permits that a woken task does not use are released, and the wake has its last attempt', async () => {
    const permits = createPermits();
    const one = candidate();
    const release = permits.tryAcquire(one, task('running'));
    const attempts: number[] = [];
    const wake = async (attempt: number) => void attempts.push(attempt);
    permits.wait([one, candidate({ model: 'n' })], task('t', 'acc', 1), wake);
    await settle();
    await settle();
    // The other route was free at once.
    expect(attempts).toEqual([1]);
    permits.wait([one], task('t', 'acc', 2), wake);
    permits.wait([one], task('t', 'acc', 3), wake);
    release?.();
    await settle();
    await settle();
    expect(attempts).toEqual([1, 3]);
    expect(permits.isFree(one, task('u'))).toBe(true);
  });

  test('permits of an instance are counted over its routes, and follow a changed number', () => {
    const permits = createPermits();
    const [m, n] = [candidate({ providerConcurrency: 1 }), candidate({ model: 'n', providerConcurrency: 1 })];
    expect(permits.tryAcquire(m, task('1'))).not.toBeNull();
    expect([permits.isFree(n, task('2')), permits.tryAcquire(n, task('2'))]).toEqual([false, null]);
    const raised = candidate({ model: 'n', providerConcurrency: 2 });
    expect(permits.tryAcquire(raised, task('2'))).not.toBeNull();
    expect(permits.isFree(candidate({ concurrency: 2, providerConcurrency: 2 }), task('3'))).toBe(false);
    expect(permits.isFree(candidate({ concurrency: 2, providerConcurrency: 3 }), task('3'))).toBe(true);
  });
});
