import { describe, expect, test } from '@jest/globals';
import { ConfigError, getPublicUrls, loadSettings, sharedSettings } from './index.js';

const { DATABASE_URL, LEASE_MS, OUTBOUND_ALLOW, RATE_LIMIT_KEY, RETRY_BACKOFF, ENABLED_MODELS } =
  sharedSettings;

describe('settings', () => {
  test('every fault is listed at once, each with its name', () => {
    const table = { DATABASE_URL, LEASE_MS, OUTBOUND_ALLOW, RATE_LIMIT_KEY, ENABLED_MODELS };
    const env = {
      LEASE_MS: '-1',
      OUTBOUND_ALLOW: 'http://x',
      RATE_LIMIT_KEY: 'fast',
      ENABLED_MODELS: 'nanobanana,Other!',
    };
    expect.assertions(2);
    try {
      loadSettings(table, env);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).faults.map((fault) => fault.split(' ')[0])).toEqual(Object.keys(table));
    }
  });

  test('defaults hold for unset and for empty variables, and the result is frozen', () => {
    const settings = loadSettings({ LEASE_MS, RATE_LIMIT_KEY, RETRY_BACKOFF }, { LEASE_MS: ' ' });
    expect(settings).toEqual({
      LEASE_MS: 30_000,
      RATE_LIMIT_KEY: { limit: 600, windowSeconds: 60 },
      RETRY_BACKOFF: [5, 20, 60],
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  test('lists, fractions and switched-off limits are understood', () => {
    const env = {
      OUTBOUND_ALLOW: '127.0.0.1:80, [::1]:90,Host.example:1',
      RATE_LIMIT_KEY: 'off',
      RETRY_BACKOFF: '0.2,0.4',
    };
    expect(loadSettings({ OUTBOUND_ALLOW, RATE_LIMIT_KEY, RETRY_BACKOFF }, env)).toEqual({
      OUTBOUND_ALLOW: ['127.0.0.1:80', '[::1]:90', 'host.example:1'],
      RATE_LIMIT_KEY: null,
      RETRY_BACKOFF: [0.2, 0.4],
    });
  });

  test('public URLs follow from the port unless they are set', () => {
    expect(getPublicUrls({ PORT: 3000, BASE_URL: undefined, FILE_URL: undefined }).fileUrl).toBe(
      'http://localhost:3000/files',
    );
    expect(getPublicUrls({ PORT: 1, BASE_URL: 'https://a', FILE_URL: 'https://cdn' }).fileUrl).toBe(
      'https://cdn',
    );
  });
});
