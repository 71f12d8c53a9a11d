import { listProvidersInUse } from '@image-gateway/shared/catalog/document';
import {
  loadSettings,
  pickSettings,
  readEnvironment,
  type SettingValues,
} from '@image-gateway/shared/config';
import type { SettingsView } from '@image-gateway/shared/system/schema';
import {
  chooseProviders,
  createKeyReader,
  type UpstreamSettings,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import type { ListProviders } from './catalog/page/list-providers.js';
import { listSettings } from './system/list-settings.js';

const OWN_SETTINGS = pickSettings(
  'PORT',
  'HOST',
  'CONTAINER',
  'BASE_URL',
  'FILE_URL',
  'TRUST_PROXY',
  'DATABASE_URL',
  'REDIS_URL',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_BUCKET',
  'S3_CREDENTIALS',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'ENABLED_MODELS',
  'RATE_LIMIT_KEY',
  'RATE_LIMIT_IP',
  'RATE_LIMIT_ACCOUNT',
  'RATE_LIMIT_AUTH',
  'RATE_LIMIT_FILES',
  'MAX_PENDING_TASKS',
  'MAX_PENDING_DELIVERIES',
  'MAX_PENDING_HOSTS',
  'MAX_FAILED_TASKS',
  'MAX_FILES',
  'MAX_FILES_BYTES',
  'UNPAID_FILES_BYTES',
  'TASK_DEADLINE_MS',
  'TASK_MAX_ATTEMPTS',
  'RETENTION_DAYS',
  'OUTBOUND_ALLOW',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_SDK_DISABLED',
  'LOG_LEVEL',
  'SHUTDOWN_GRACE_MS',
  'METRICS_PORT',
  'METRICS_HOST',
  'DATABASE_POOL',
  'REDIS_PREFIX',
  'AUTH_SECRET',
  'ENCRYPTION_KEY',
  'SMTP_URL',
  'MAIL_FROM',
  'ALLOW_SIGNUP',
  'SIGNUP_CREDIT',
  'SIGNUP_CREDIT_LIMIT',
  'SUPPORT_URL',
  'TOP_UP_URL',
  'DASHBOARD',
  'CORS_ORIGINS',
  'OPENAI_FACADE',
  'FACADE_MAX_WAIT',
  'MCP',
  'MCP_CONFIRM_ABOVE',
  'SPOOL_DIR',
);

/** Every setting that the API reads, by its environment variable. */
export const API_SETTINGS = { ...OWN_SETTINGS, ...upstreamSettings };

/** The settings of the API process. */
export type ApiSettings = SettingValues<typeof OWN_SETTINGS> & {
  /** Every setting, as the page of settings shows them. */
  readonly listSettings: () => SettingsView['settings'];
  /** Keys and addresses of providers, as far as this environment has them. */
  readonly upstreams: UpstreamSettings;
  /** Providers in use, as far as this environment names them. */
  readonly listProviders: ListProviders;
  /** False when this environment chooses no provider, because the workers alone hold the keys. */
  readonly namesProviders: boolean;
};

/** Reads the settings of the API from an environment; throws ConfigError listing every fault. */
export function loadApiSettings(given: Readonly<Record<string, string | undefined>>): ApiSettings {
  const env = readEnvironment(given);
  const settings = loadSettings(API_SETTINGS, env);
  const chosen = chooseProviders(settings);
  const readKeys = createKeyReader(env);
  return {
    ...settings,
    listSettings: () => listSettings(API_SETTINGS, given),
    upstreams: settings,
    listProviders: (catalog) => listProvidersInUse(catalog, chosen, readKeys),
    namesProviders: chosen.named !== null || chosen.builtIn.length > 0,
  };
}
