import { readFileSync } from 'node:fs';
import { loadSettings, optional, type SettingValues, sharedSettings } from '@image-gateway/shared/config';
import { parseDollars } from '@image-gateway/shared/money';
import {
  chooseProviders,
  type ProviderName,
  type RoutingTable,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';

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
  BASE_URL: sharedSettings.BASE_URL,
  FILE_URL: sharedSettings.FILE_URL,
  ENABLED_MODELS: sharedSettings.ENABLED_MODELS,
  ...upstreamSettings,
  TASK_MAX_ATTEMPTS: sharedSettings.TASK_MAX_ATTEMPTS,
  RETRY_BACKOFF: sharedSettings.RETRY_BACKOFF,
  AMBIGUOUS_RETRIES: sharedSettings.AMBIGUOUS_RETRIES,
  MAX_UPSTREAM_COST: optional({ parse: dollars }),
  LEASE_MS: sharedSettings.LEASE_MS,
  HEARTBEAT_MS: sharedSettings.HEARTBEAT_MS,
  SWEEP_MS: sharedSettings.SWEEP_MS,
  GENERATION_CONCURRENCY: sharedSettings.GENERATION_CONCURRENCY,
  ANSWER_MEMORY: sharedSettings.ANSWER_MEMORY,
  SPOOL_DIR: sharedSettings.SPOOL_DIR,
  SPOOL_MAX: sharedSettings.SPOOL_MAX,
  OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW,
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  SHUTDOWN_GRACE_MS: sharedSettings.SHUTDOWN_GRACE_MS,
  METRICS_PORT: sharedSettings.METRICS_PORT,
  METRICS_HOST: sharedSettings.METRICS_HOST,
  DATABASE_POOL: sharedSettings.DATABASE_POOL,
  REDIS_PREFIX: sharedSettings.REDIS_PREFIX,
};

/** Settings of a generation worker; it has at least one provider, and a route for every offered model. */
export type Settings = Omit<SettingValues<typeof table>, 'PROVIDERS'> & {
  readonly PROVIDERS: readonly ProviderName[];
  readonly routes: RoutingTable;
  /** They have a key, and `PROVIDERS` does not name them. */
  readonly unusedProviders: readonly ProviderName[];
};

/** Reads a text file; throws when it can't. */
export type ReadText = (file: string) => string;

/** Reads the settings of a generation worker; throws ConfigError that lists every fault. */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  readText: ReadText = (file) => readFileSync(file, 'utf8'),
): Settings {
  const settings = loadSettings(table, env);
  const { providers, routes, unused } = chooseProviders(settings, readText);
  return { ...settings, PROVIDERS: providers, routes, unusedProviders: unused };
}
