import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { buildEmbeddedCommand, buildMinioCommand } from '../s3/server-commands.js';
import { buildServiceEnvironment } from './build-service-environment.js';

const SECRETS = { GEMINI_API_KEY: 'planted', AUTH_SECRET: 'planted', DATABASE_URL: 'planted' };
const before = { ...process.env };
beforeEach(() => {
  Object.assign(process.env, SECRETS);
});
afterEach(() => {
  process.env = { ...before };
});

test('a service gets its own variables and the search path, and no setting of the gateway', () => {
  const env = buildServiceEnvironment({ LC_ALL: 'C' });
  expect(env).toMatchObject({ LC_ALL: 'C', PATH: process.env.PATH });
  expect(JSON.stringify(env)).not.toContain('planted');
});

test('an object store gets its own key and no setting of the gateway', () => {
  const options = {
    folder: '/tmp',
    port: 1,
    bucket: 'b',
    accessKey: 'own-key',
    secretKey: 'own-secret',
    durable: false,
  };
  const folder = `${process.env.TMPDIR ?? '/tmp'}/service-environment-test`;
  for (const { env } of [
    buildEmbeddedCommand(options as never, folder),
    buildMinioCommand(options as never, 'minio', folder),
  ]) {
    expect(JSON.stringify(env)).toContain('own-secret');
    expect(JSON.stringify(env)).not.toContain('planted');
  }
});
