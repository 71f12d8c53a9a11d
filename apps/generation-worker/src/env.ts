import {
  ConfigError,
  list,
  loadSettings,
  optional,
  type SettingsOf,
  sharedSettings,
} from '@image-gateway/shared/config';
import { parseDollars } from '@image-gateway/shared/money';
import { PROVIDER_MAKERS, type ProviderName } from './providers/router.js';

const knownProvider = (name: string): ProviderName => {
  const known = Object.keys(PROVIDER_MAKERS);
  if (!known.includes(name)) throw new Error(`must name providers (${known.join(', ')}), not ${name}`);
  return name as ProviderName;
};

const dollars = (text: string): bigint => {
  try {
    return parseDollars(text);
  } catch {
    throw new Error('must be a positive number of dollars such as 0.25');
  }
};

const table = {
  DATABASE_URL: sharedSettings.DATABASE_URL,
  REDIS_URL: sharedSettings.REDIS_URL,
  S3_ENDPOINT: sharedSettings.S3_ENDPOINT,
  S3_REGION: sharedSettings.S3_REGION,
  S3_BUCKET: sharedSettings.S3_BUCKET,
  S3_ACCESS_KEY: sharedSettings.S3_ACCESS_KEY,
  S3_SECRET_KEY: sharedSettings.S3_SECRET_KEY,
  PORT: sharedSettings.PORT,
  HOST: sharedSettings.HOST,
  BASE_URL: sharedSettings.BASE_URL,
  FILE_URL: sharedSettings.FILE_URL,
  PROVIDERS: optional(list(knownProvider)),
  TASK_MAX_ATTEMPTS: sharedSettings.TASK_MAX_ATTEMPTS,
  RETRY_BACKOFF: sharedSettings.RETRY_BACKOFF,
  AMBIGUOUS_RETRIES: sharedSettings.AMBIGUOUS_RETRIES,
  MAX_UPSTREAM_COST: optional({ parse: dollars }),
  LEASE_MS: sharedSettings.LEASE_MS,
  HEARTBEAT_MS: sharedSettings.HEARTBEAT_MS,
  SWEEP_MS: sharedSettings.SWEEP_MS,
  GENERATION_CONCURRENCY: sharedSettings.GENERATION_CONCURRENCY,
  OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW,
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  SHUTDOWN_GRACE_MS: sharedSettings.SHUTDOWN_GRACE_MS,
  METRICS_PORT: sharedSettings.METRICS_PORT,
};

/** The settings of a generation worker; it has at least one provider. */
export type Settings = Omit<SettingsOf<typeof table>, 'PROVIDERS'> & {
  readonly PROVIDERS: readonly ProviderName[];
};

// A key for a provider that this version does not speak would silently do nothing.
const FOREIGN_KEYS = ['GEMINI', 'FAL', 'REPLICATE', 'OPENAI', 'OPENROUTER'].map((name) => `${name}_API_KEY`);

/** Reads the settings of a generation worker; throws ConfigError that lists every fault. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const faults = FOREIGN_KEYS.filter((name) => env[name]?.trim()).map(
    (name) =>
      `${name} is set, but this version has no such provider (${Object.keys(PROVIDER_MAKERS).join(', ')})`,
  );
  try {
    const settings = loadSettings(table, env);
    const { PROVIDERS = [] } = settings;
    if (PROVIDERS.length === 0)
      faults.push('PROVIDERS is required: no provider has a key, and none is named (sandbox needs no key)');
    if (faults.length === 0) return { ...settings, PROVIDERS };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...error.faults, ...faults]);
  }
  throw new ConfigError(faults);
}
