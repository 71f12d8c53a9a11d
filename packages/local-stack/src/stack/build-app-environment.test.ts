import { describe, expect, test } from '@jest/globals';
import { buildAppEnvironment } from './build-app-environment.js';
import { resolveSettings } from './resolve-settings.js';

const secrets = {
  postgresPassword: 'p',
  redisPassword: 'r',
  s3AccessKey: 'a',
  s3SecretKey: 's',
  authSecret: 'auth',
  encryptionKey: 'encryption',
};
const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  buildAppEnvironment(env, resolveSettings(env, '/somewhere'), {}, secrets);

describe('appEnvironment', () => {
  test('appEnvironment lets the sandbox draw where no provider is configured, and names no provider by itself', () => {
    expect(environment({}).SANDBOX_FALLBACK).toBe('true');
    expect(environment({ SANDBOX_FALLBACK: 'false' }).SANDBOX_FALLBACK).toBe('false');
    expect(environment({ FAL_API_KEY: 'k' }).PROVIDERS).toBeUndefined();
    expect(environment({ PROVIDERS: 'gemini' }).PROVIDERS).toBe('gemini');
  });

  test('appEnvironment passes everything on that the caller has set, before its own defaults', () => {
    const own = { AUTH_SECRET: 'mine', ALLOW_SIGNUP: 'false', SPOOL_DIR: '/elsewhere' };
    const given = { ...own, LEASE_MS: '5', NODE_ENV: 'development' };
    expect(environment(given)).toMatchObject(given);
    const defaults = { AUTH_SECRET: 'auth', ALLOW_SIGNUP: 'true', SPOOL_DIR: '/somewhere/.data/spool' };
    expect(environment({})).toMatchObject(defaults);
  });
});
