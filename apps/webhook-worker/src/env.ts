import { loadSettings, type SettingValues, sharedSettings } from '@image-gateway/shared/config';
import { upstreamSettings } from '@image-gateway/shared/upstreams';

const table = {
  DATABASE_URL: sharedSettings.DATABASE_URL,
  REDIS_URL: sharedSettings.REDIS_URL,
  WEBHOOK_CONCURRENCY: sharedSettings.WEBHOOK_CONCURRENCY,
  WEBHOOK_RETRY_SCHEDULE: sharedSettings.WEBHOOK_RETRY_SCHEDULE,
  WEBHOOK_TIMEOUT_MS: sharedSettings.WEBHOOK_TIMEOUT_MS,
  OUTBOUND_ALLOW: sharedSettings.OUTBOUND_ALLOW,
  METRICS_PORT: sharedSettings.METRICS_PORT,
  METRICS_HOST: sharedSettings.METRICS_HOST,
  DATABASE_POOL: sharedSettings.DATABASE_POOL,
  REDIS_PREFIX: sharedSettings.REDIS_PREFIX,
  OTEL_EXPORTER_OTLP_ENDPOINT: sharedSettings.OTEL_EXPORTER_OTLP_ENDPOINT,
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  SHUTDOWN_GRACE_MS: sharedSettings.SHUTDOWN_GRACE_MS,
  // It is refused by every process.
  ROUTES_FILE: upstreamSettings.ROUTES_FILE,
};

/** The settings of a webhook worker. */
export type Settings = SettingValues<typeof table>;

/** Reads the settings of a webhook worker; throws ConfigError that lists every fault. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return loadSettings(table, env);
}
