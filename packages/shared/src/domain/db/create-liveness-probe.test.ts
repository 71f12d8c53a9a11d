import { describe, expect, test } from '@jest/globals';
import { createLivenessProbe } from './create-liveness-probe.js';

const never = () => new Promise<boolean>(() => undefined);
const times = { timeoutMs: 30, cacheTtlMs: 60_000 };

describe('the liveness probe of the database', () => {
  test('the database is alive when it responds to the check, not when it refuses or is silent', async () => {
    expect(await createLivenessProbe({ ...times, check: async () => true }).isAlive()).toBe(true);
    expect(await createLivenessProbe({ ...times, check: async () => false }).isAlive()).toBe(false);
    expect(
      await createLivenessProbe({ ...times, check: () => Promise.reject(new Error('refused')) }).isAlive(),
    ).toBe(false);
    expect(await createLivenessProbe({ ...times, check: never }).isAlive()).toBe(false);
  });

  test('the database is alive when a statement gets a response during the check, not when one got it before', async () => {
    const probe = createLivenessProbe({ ...times, check: never });
    probe.recordResponse();
    expect(await probe.isAlive()).toBe(false);
    const other = createLivenessProbe({ timeoutMs: 60_000, cacheTtlMs: 0, check: never });
    const checking = other.isAlive();
    other.recordResponse();
    expect(await checking).toBe(true);
  });

  test('concurrent callers share one check, and a dead database is not checked again until its result expires or it responds', async () => {
    let checks = 0;
    const probe = createLivenessProbe({
      ...times,
      check: async () => {
        checks++;
        return false;
      },
    });
    expect(await Promise.all([probe.isAlive(), probe.isAlive()])).toEqual([false, false]);
    expect(await probe.isAlive()).toBe(false);
    expect(checks).toBe(1);
    probe.recordResponse();
    await probe.isAlive();
    expect(checks).toBe(2);
  });
});
