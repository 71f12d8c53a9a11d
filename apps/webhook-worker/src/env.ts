import {
  loadSettings,
  pickSettings,
  readEnvironment,
  type SettingValues,
} from '@image-gateway/shared/config';

const table = {
  ...pickSettings(
    'DATABASE_URL',
    'REDIS_URL',
    'WEBHOOK_CONCURRENCY',
    'WEBHOOK_RETRY_SCHEDULE',
    'WEBHOOK_TIMEOUT_MS',
    'OUTBOUND_ALLOW',
    'OUTBOUND_CONTACT',
    'BASE_URL',
    'SMTP_URL',
    'MAIL_FROM',
    'METRICS_PORT',
    'METRICS_HOST',
    'DATABASE_POOL',
    'REDIS_PREFIX',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_SDK_DISABLED',
    'LOG_LEVEL',
    'SHUTDOWN_GRACE_MS',
  ),
};

/** The settings of a webhook worker. */
export type Settings = SettingValues<typeof table>;

/** Reads the settings of a webhook worker; throws ConfigError that lists every fault. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return loadSettings(table, readEnvironment(env));
}
