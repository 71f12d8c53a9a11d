import {
  ConfigError,
  loadSettings,
  pickSettings,
  readEnvironment,
  required,
  type SettingValues,
} from '@image-gateway/shared/config';
import {
  type ChosenProviders,
  chooseProviders,
  createKeyReader,
  type ReadKeys,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';

const table = {
  ...pickSettings(
    'DATABASE_URL',
    'REDIS_URL',
    'S3_ENDPOINT',
    'S3_REGION',
    'S3_BUCKET',
    'S3_CREDENTIALS',
    'S3_ACCESS_KEY',
    'S3_SECRET_KEY',
    'BASE_URL',
    'FILE_URL',
    'ENABLED_MODELS',
    'TASK_MAX_ATTEMPTS',
    'RETRY_BACKOFF',
    'AMBIGUOUS_RETRIES',
    'MAX_UPSTREAM_COST',
    'MAX_UPSTREAM_COST_DAY',
    'LEASE_MS',
    'HEARTBEAT_MS',
    'SWEEP_MS',
    'RETENTION_DAYS',
    'RETENTION_SWEEP_MS',
    'DETAIL_RETENTION_DAYS',
    'GENERATION_CONCURRENCY',
    'ANSWER_MEMORY',
    'SPOOL_DIR',
    'SPOOL_MAX',
    'OUTBOUND_ALLOW',
    'OUTBOUND_CONTACT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_SDK_DISABLED',
    'LOG_LEVEL',
    'SHUTDOWN_GRACE_MS',
    'METRICS_PORT',
    'METRICS_HOST',
    'DATABASE_POOL',
    'REDIS_PREFIX',
    'ENCRYPTION_KEY',
  ),
  ...upstreamSettings,
};
// A worker serves nothing, so no port of its own says where its results are.
const tableWithBase = { ...table, BASE_URL: required(table.BASE_URL) };

/** Settings of a generation worker. */
export type Settings = SettingValues<typeof table> & {
  readonly chosen: ChosenProviders;
  /** Contact of outgoing requests. */
  readonly contact: string | undefined;
  /** Begin of result URLs. */
  readonly fileUrl: string;
  /** Reads the keys of an instance of the catalog. */
  readonly readKeys: ReadKeys;
};

const checkTable = {
  ...pickSettings(
    'DATABASE_URL',
    'BASE_URL',
    'OUTBOUND_ALLOW',
    'OUTBOUND_CONTACT',
    'MAX_UPSTREAM_COST_DAY',
    'ENCRYPTION_KEY',
  ),
  ...upstreamSettings,
};

/** Settings of a check of a provider. */
export type CheckSettings = SettingValues<typeof checkTable> & Pick<Settings, 'readKeys' | 'contact'>;

/** Reads the settings of a process that does one check; throws ConfigError that lists every fault. */
export function readCheckSettings(given: Readonly<Record<string, string | undefined>>): CheckSettings {
  const env = readEnvironment(given);
  const settings = loadSettings(checkTable, env);
  const contact = settings.OUTBOUND_CONTACT ?? settings.BASE_URL;
  return { ...settings, contact, readKeys: createKeyReader(env) };
}

/** Reads the settings of a generation worker; throws ConfigError that lists every fault. */
export function readSettings(given: Readonly<Record<string, string | undefined>>): Settings {
  const env = readEnvironment(given);
  const settings = loadSettings(env.FILE_URL?.trim() ? table : tableWithBase, env);
  const chosen = chooseProviders(settings);
  // A key that is stored later is no fault.
  if (chosen.faults.length > 0 && settings.ENCRYPTION_KEY.length === 0) {
    throw new ConfigError(chosen.faults);
  }
  const fileUrl = settings.FILE_URL ?? `${settings.BASE_URL}/files`;
  const contact = settings.OUTBOUND_CONTACT ?? settings.BASE_URL;
  return { ...settings, chosen, fileUrl, contact, readKeys: createKeyReader(env) };
}
