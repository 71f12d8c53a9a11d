import { ConfigError } from '@image-gateway/shared/config';
import { describe, expect, test } from '@jest/globals';
import { readSettings } from './env.js';

const complete = {
  DATABASE_URL: 'postgresql://localhost/x',
  REDIS_URL: 'redis://localhost',
  S3_ENDPOINT: 'http://localhost:9000',
  S3_ACCESS_KEY: 'a',
  S3_SECRET_KEY: 'b',
  PROVIDERS: 'sandbox',
};
const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

describe('the settings', () => {
  test('have the defaults of the contract', () => {
    expect(readSettings(complete)).toMatchObject({
      ...{ TASK_MAX_ATTEMPTS: 3, RETRY_BACKOFF: [5, 20, 60], AMBIGUOUS_RETRIES: 0, LEASE_MS: 30_000 },
      ...{ HEARTBEAT_MS: 10_000, SWEEP_MS: 5_000, GENERATION_CONCURRENCY: 16, PROVIDERS: ['sandbox'] },
      MAX_UPSTREAM_COST: undefined,
    });
    expect(readSettings({ ...complete, MAX_UPSTREAM_COST: '0.25' }).MAX_UPSTREAM_COST).toBe(250_000n);
  });

  test.each([
    ['no provider at all', { PROVIDERS: '' }, /^PROVIDERS/],
    ['a provider that does not exist', { PROVIDERS: 'sandbox,dalle' }, /^PROVIDERS .*dalle/],
    ['a key of a provider that is not built', { FAL_API_KEY: 'x' }, /^FAL_API_KEY/],
    ['a limit that is no money', { MAX_UPSTREAM_COST: '-1' }, /^MAX_UPSTREAM_COST/],
  ])('refuse %s', (_what, change, fault) => {
    const faults = faultsOf({ ...complete, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  test('name all faults at once', () => {
    expect(faultsOf({ GEMINI_API_KEY: 'x', LEASE_MS: '0' })).toHaveLength(7);
  });
});
