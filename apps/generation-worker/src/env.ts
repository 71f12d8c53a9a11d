import {
  ConfigError,
  loadSettings,
  optional,
  type SettingValues,
  sharedSettings,
} from '@image-gateway/shared/config';
import { parseDollars } from '@image-gateway/shared/money';
import {
  type ChosenProviders,
  chooseProviders,
  createKeyReader,
  type ReadKeys,
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
  RETENTION_DAYS: sharedSettings.RETENTION_DAYS,
  RETENTION_SWEEP_MS: sharedSettings.RETENTION_SWEEP_MS,
  DETAIL_RETENTION_DAYS: sharedSettings.DETAIL_RETENTION_DAYS,
  GENERATION_CONCURRENCY: sharedSettings.GENERATION_CONCURRENCY,
  ANSWER_MEMORY: sharedSettings.ANSWER_MEMORY,
  SPOOL_DIR: sharedSettings.SPOOL_DIR,
  SPOOL_MAX: sharedSettings.SPOOL_MAX,
  OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW,
  OTEL_EXPORTER_OTLP_ENDPOINT: sharedSettings.OTEL_EXPORTER_OTLP_ENDPOINT,
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  SHUTDOWN_GRACE_MS: sharedSettings.SHUTDOWN_GRACE_MS,
  METRICS_PORT: sharedSettings.METRICS_PORT,
  METRICS_HOST: sharedSettings.METRICS_HOST,
  DATABASE_POOL: sharedSettings.DATABASE_POOL,
  REDIS_PREFIX: sharedSettings.REDIS_PREFIX,
};

/** Settings of a generation worker. */
export type Settings = SettingValues<typeof table> & {
  readonly chosen: ChosenProviders;
  /** Reads the keys of an instance of the catalog. */
  readonly readKeys: ReadKeys;
};

/** Reads the settings of a generation worker; throws ConfigError that lists every fault. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const settings = loadSettings(table, env);
  const chosen = chooseProviders(settings);
  if (chosen.faults.length > 0) {
    throw new ConfigError(chosen.faults);
  }
  return { ...settings, chosen, readKeys: createKeyReader(env) };
}
