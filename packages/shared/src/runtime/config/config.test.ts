import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  ConfigError,
  getPublicUrls,
  loadSettings,
  parseSentinelUrl,
  readEnvironment,
  sharedSettings,
} from './index.js';

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

  test('the address of Redis is one server or a group of Sentinels', () => {
    const { REDIS_URL } = sharedSettings;
    const read = (url: string): string => loadSettings({ REDIS_URL }, { REDIS_URL: url }).REDIS_URL;
    expect(parseSentinelUrl(read('redis://:secret@one:6379/2'))).toBeNull();
    expect(parseSentinelUrl(read('redis+sentinel://:p%40ss@a:26379,[::1]:26380/main.1?db=3'))).toEqual({
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: '::1', port: 26_380 },
      ],
      name: 'main.1',
      password: 'p@ss',
      db: 3,
      isEncrypted: false,
    });
    expect(parseSentinelUrl(read('redis+sentinel://a:1/main'))).toEqual({
      sentinels: [{ host: 'a', port: 1 }],
      name: 'main',
      db: 0,
      isEncrypted: false,
    });
    expect(parseSentinelUrl(read('rediss+sentinel://me:p%40ss@a:1/main?sentinel_username=s'))).toEqual({
      sentinels: [{ host: 'a', port: 1 }],
      name: 'main',
      username: 'me',
      password: 'p@ss',
      sentinelUsername: 's',
      db: 0,
      isEncrypted: true,
    });
    for (const faulty of [
      'redis+sentinel://a/main',
      'redis+sentinel://a:1',
      'redis+sentinel://a:1,b/main',
      'redis+sentinel://:%ff@a:1/main',
      'redis+sentinel://a:1/main?db=x',
      'redis+sentinel://a:1/main?user=x',
      'http://a:1',
    ]) {
      expect(() => read(faulty)).toThrow(/REDIS_URL must/);
    }
  });

  test('the log-in at Sentinels has settings of its own, and belongs to no other address', () => {
    const logIn = { REDIS_SENTINEL_USERNAME: 'me', REDIS_SENTINEL_PASSWORD: 'p&=s' };
    const read = (url: string): string => readEnvironment({ REDIS_URL: url, ...logIn }).REDIS_URL ?? '';
    expect(parseSentinelUrl(read('redis+sentinel://:x@a:1/main?db=2'))).toMatchObject({
      sentinelUsername: 'me',
      sentinelPassword: 'p&=s',
      password: 'x',
      db: 2,
    });
    expect(read('redis://one:6379')).toBe('redis://one:6379');
  });

  test('secrets may stand in files, and every fault of these is listed at once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    const file = join(folder, 'secret');
    writeFileSync(file, 'from a file\n');
    const env = {
      DATABASE_URL_FILE: file,
      SMTP_URL_FILE: file,
      GPU_KEYS_FILE: file,
      CATALOG_FILE: '/catalog.yaml',
      EMPTY_KEY_FILE: '',
    };
    expect(readEnvironment(env)).toEqual({
      ...env,
      DATABASE_URL: 'from a file',
      SMTP_URL: 'from a file',
      GPU_KEYS: 'from a file',
    });
    const faulty = { AUTH_SECRET: 'x', AUTH_SECRET_FILE: file, S3_SECRET_KEY_FILE: '/nonexistent' };
    expect(() => readEnvironment(faulty)).toThrow(
      /AUTH_SECRET and AUTH_SECRET_FILE are both set[\s\S]*S3_SECRET_KEY_FILE names a file that cannot be read/,
    );
    rmSync(folder, { recursive: true });
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
