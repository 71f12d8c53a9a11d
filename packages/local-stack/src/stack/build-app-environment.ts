import path from 'node:path';
import type { Secrets } from '../data-dir/load-secrets.js';
import type { RunningServices } from '../services/start-services.js';
import type { StackSettings } from './resolve-settings.js';

/** Builds the environment of every app: that of the caller, the started services, and defaults for a start without configuration. */
export function buildAppEnvironment(
  env: NodeJS.ProcessEnv,
  settings: StackSettings,
  services: RunningServices,
  secrets: Secrets,
): NodeJS.ProcessEnv {
  // An empty setting must not replace a default.
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const { postgres, redis, s3 } = services;
  return {
    NODE_ENV: 'production',
    ALLOW_SIGNUP: 'true',
    AUTH_SECRET: secrets.authSecret,
    ENCRYPTION_KEY: secrets.encryptionKey,
    SPOOL_DIR: path.join(settings.dataDir, 'spool'),
    SANDBOX_FALLBACK: 'true',
    ...given,
    DATA_DIR: settings.dataDir,
    HOST: settings.host,
    PORT: String(settings.port),
    BASE_URL: settings.baseUrl,
    S3_BUCKET: settings.bucket,
    ...(postgres && { DATABASE_URL: postgres.url, DIRECT_URL: postgres.url }),
    ...(redis && { REDIS_URL: redis.url }),
    ...(s3 && {
      S3_CREDENTIALS: 'keys',
      S3_ENDPOINT: s3.url,
      S3_ACCESS_KEY: s3.accessKey,
      S3_SECRET_KEY: s3.secretKey,
    }),
  };
}
