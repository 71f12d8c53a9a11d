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
  BASE_URL: 'https://gateway.example',
};
const findFaults = (env: Record<string, string>): readonly string[] => {
  try {
    readSettings(env);
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
      TASK_MAX_ATTEMPTS: 3,
      RETRY_BACKOFF: [5, 20, 60],
      AMBIGUOUS_RETRIES: 0,
      LEASE_MS: 30_000,
      HEARTBEAT_MS: 10_000,
      SWEEP_MS: 5_000,
      GENERATION_CONCURRENCY: 16,
      chosen: { builtIn: ['sandbox'], named: ['sandbox'], sandboxServesRest: true },
      MAX_UPSTREAM_COST: undefined,
      MAX_UPSTREAM_COST_DAY: undefined,
    });
    expect(readSettings({ ...complete, MAX_UPSTREAM_COST: '0.25' }).MAX_UPSTREAM_COST).toBe(250_000n);
  });

  test.each([
    ['a provider whose name is none', { PROVIDERS: 'sandbox,Dall-E' }, /^PROVIDERS .*Dall-E/],
    ['a provider without a key', { PROVIDERS: 'sandbox,fal' }, /^PROVIDERS names fal, but FAL_API_KEY/],
    ['a limit that is no money', { MAX_UPSTREAM_COST: '-1' }, /^MAX_UPSTREAM_COST/],
    ['a ceiling that is no money', { MAX_UPSTREAM_COST_DAY: 'much' }, /^MAX_UPSTREAM_COST_DAY/],
  ])('the settings refuse %s', (_what, change, fault) => {
    const faults = findFaults({ ...complete, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  test('the settings name all faults at once', () => {
    expect(findFaults({ GEMINI_BASE_URL: 'x', LEASE_MS: '0' })).toHaveLength(8);
  });

  test('the settings name where results are, whatever the port of the worker is', () => {
    expect(readSettings({ ...complete, PORT: '9' }).fileUrl).toBe('https://gateway.example/files');
    const { BASE_URL: _base, ...without } = complete;
    expect(readSettings({ ...without, FILE_URL: 'https://cdn.example' }).fileUrl).toBe('https://cdn.example');
    expect(findFaults({ ...without, PORT: '9' })).toEqual(['BASE_URL is required']);
  });

  test('the settings take the providers that have a key or an address when none is named, the cheapest first', () => {
    const { PROVIDERS: _named, ...unnamed } = complete;
    const given = { OPENAI_BASE_URL: 'http://gpu.internal:8091/v1', FAL_API_KEY: 'b,c', GEMINI_API_KEY: ' ' };
    const { chosen, FAL_API_KEY } = readSettings({ ...unnamed, ...given });
    expect([chosen.builtIn, chosen.named, FAL_API_KEY]).toEqual([['fal', 'openai'], null, ['b', 'c']]);
    expect(readSettings(unnamed).chosen).toMatchObject({ builtIn: [], sandboxServesRest: false });
    expect(readSettings({ ...unnamed, SANDBOX_FALLBACK: 'true' }).chosen).toMatchObject({
      builtIn: ['sandbox'],
      sandboxServesRest: 'built-in',
    });
  });

  test('the settings take the order of PROVIDERS, which may name instances of the catalog', () => {
    const named = {
      PROVIDERS: 'my-gpu,openai,fal',
      OPENAI_BASE_URL: 'http://gpu.internal',
      FAL_API_KEY: 'a',
    };
    expect(readSettings({ ...complete, ...named, GEMINI_API_KEY: 'b' }).chosen).toMatchObject({
      builtIn: ['openai', 'fal'],
      named: ['my-gpu', 'openai', 'fal'],
      unused: ['gemini'],
    });
  });

  test('the settings give the keys of an instance, and nothing that is no name of keys', () => {
    const { readKeys } = readSettings({ ...complete, MY_GPU_KEYS: 'a, b', AUTH_SECRET: 'secret' });
    expect([readKeys('MY_GPU_KEYS'), readKeys('OTHER_KEY'), readKeys('AUTH_SECRET')]).toEqual([
      ['a', 'b'],
      [],
      [],
    ]);
  });
});
