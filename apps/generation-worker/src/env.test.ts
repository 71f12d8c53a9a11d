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
const sandboxRoute = { provider: 'sandbox', model: 'x', cost_per_image: { '1k': '0' } };
const files: Record<string, string> = {
  'no.json': '{',
  'pro-only.json': JSON.stringify({ models: { 'nanobanana-pro': [sandboxRoute] } }),
  'faulty.json': JSON.stringify({ models: { nanobanana: [{ ...sandboxRoute, provider: 'dalle' }] } }),
};
const readText = (file: string): string => {
  const text = files[file];
  if (text === undefined) {
    throw new Error(`${file} is gone`);
  }
  return text;
};
const findFaults = (env: Record<string, string>): readonly string[] => {
  try {
    readSettings(env, readText);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.faults;
    }
    throw error;
  }
};

describe('env', () => {
  test('the settings have the defaults of the contract', () => {
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
    ['a provider without a key', { PROVIDERS: 'sandbox,fal' }, /^PROVIDERS names fal, but FAL_API_KEY/],
    ['a model that nobody has a route for', { ROUTES_FILE: 'pro-only.json' }, /^ENABLED_MODELS .*nanobanana/],
    ['a routing file that is no JSON', { ROUTES_FILE: 'no.json' }, /^ROUTES_FILE .*JSON/],
    [
      'a routing file with a fault',
      { ROUTES_FILE: 'faulty.json' },
      /^ROUTES_FILE .*nanobanana\[0\]\.provider/,
    ],
    ['a routing file that is not there', { ROUTES_FILE: 'gone.json' }, /^ROUTES_FILE .*gone/],
    ['a limit that is no money', { MAX_UPSTREAM_COST: '-1' }, /^MAX_UPSTREAM_COST/],
  ])('the settings refuse %s', (_what, change, fault) => {
    const faults = findFaults({ ...complete, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  test('the settings name all faults at once', () => {
    expect(findFaults({ GEMINI_BASE_URL: 'x', LEASE_MS: '0' })).toHaveLength(7);
  });

  test('the settings take the providers that have a key when none is named, the cheapest first', () => {
    const { PROVIDERS: _named, ...unnamed } = complete;
    const keys = { OPENAI_API_KEY: 'a', FAL_API_KEY: 'b,c', GEMINI_API_KEY: ' ' };
    const { PROVIDERS, routes, FAL_API_KEY } = readSettings({ ...unnamed, ...keys });
    expect([PROVIDERS, FAL_API_KEY]).toEqual([
      ['fal', 'openai'],
      ['b', 'c'],
    ]);
    expect(routes.nanobanana?.map(({ provider }) => provider)).toEqual(['fal', 'fal', 'openai']);
  });

  test('the settings let PROVIDERS order the default routes, and a routing file its own', () => {
    const providers = { PROVIDERS: 'sandbox,openai', OPENAI_BASE_URL: 'http://gpu.internal:8091/v1' };
    const routed = readSettings({ ...complete, ...providers }).routes.nanobanana ?? [];
    expect(routed.map(({ provider }) => provider)).toEqual(['sandbox', 'openai']);
    const openaiRoute = { ...sandboxRoute, provider: 'openai', weight: 2, options: { seed: 1 } };
    const text = JSON.stringify({ models: { nanobanana: [openaiRoute, sandboxRoute] } });
    const own = readSettings({ ...complete, ...providers, ROUTES_FILE: 'own.json' }, () => text).routes;
    expect(own.nanobanana).toMatchObject([
      { provider: 'openai', weight: 2, costMicros: { '1k': 0n }, options: { seed: 1 }, maxInputs: 9 },
      { provider: 'sandbox', weight: null },
    ]);
  });
});
