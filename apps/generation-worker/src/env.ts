import { readFileSync } from 'node:fs';
import {
  ConfigError,
  list,
  loadSettings,
  optional,
  type SettingsOf,
  sharedSettings,
} from '@image-gateway/shared/config';
import { parseDollars } from '@image-gateway/shared/money';
import {
  configuredUpstream,
  type RoutingTable,
  UPSTREAMS,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import { PROVIDER_NAMES, type ProviderName } from './providers/provider-name.js';
import { routesFor } from './providers/routes-for.js';

const knownProvider = (name: string): ProviderName => {
  const known = PROVIDER_NAMES.find((one) => one === name);
  if (known === undefined) throw new Error(`must name providers (${PROVIDER_NAMES.join(', ')}), not ${name}`);
  return known;
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
  ENABLED_MODELS: sharedSettings.ENABLED_MODELS,
  PROVIDERS: optional(list(knownProvider)),
  ...upstreamSettings,
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

/** The settings of a generation worker; it has at least one provider, and a route for every model that is on offer. */
export type Settings = Omit<SettingsOf<typeof table>, 'PROVIDERS'> & {
  readonly PROVIDERS: readonly ProviderName[];
  readonly routes: RoutingTable;
};

/** Reads a text file; throws when it can't. */
export type ReadText = (file: string) => string;

/** Reads the settings of a generation worker; throws ConfigError that lists every fault. */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  readText: ReadText = (file) => readFileSync(file, 'utf8'),
): Settings {
  const settings = loadSettings(table, env);
  const names = settings.PROVIDERS ?? [];
  const providers = names.length > 0 ? names : PROVIDER_NAMES.filter((name) => hasKey(settings, name));
  const faults = providers.flatMap((name) => faultsOf(settings, name));
  if (providers.length === 0)
    faults.push('PROVIDERS is required: no provider has a key, and none is named (sandbox needs no key)');
  try {
    const routes = routesFor(
      providers,
      settings.ROUTES_FILE === undefined ? null : readText(settings.ROUTES_FILE),
    );
    const orphans = settings.ENABLED_MODELS.filter((model) => (routes[model] ?? []).length === 0);
    if (faults.length === 0)
      faults.push(
        ...orphans.map(
          (model) => `ENABLED_MODELS offers ${model}, but no provider that is configured has a route for it`,
        ),
      );
    if (faults.length === 0) return { ...settings, PROVIDERS: providers, routes };
  } catch (error) {
    faults.push(`ROUTES_FILE is not right: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new ConfigError(faults);
}

function hasKey(settings: SettingsOf<typeof table>, name: ProviderName): boolean {
  return name !== 'sandbox' && configuredUpstream(settings, name).keys.length > 0;
}

/** A server of one's own may ask for no key; a public one does. */
function faultsOf(settings: SettingsOf<typeof table>, name: ProviderName): string[] {
  if (name === 'sandbox') return [];
  const { keys, ownHost } = configuredUpstream(settings, name);
  const { envPrefix, keysAt } = UPSTREAMS[name];
  if (keys.length > 0 || ownHost !== null) return [];
  return [`PROVIDERS names ${name}, but ${envPrefix}_API_KEY is not set (keys: ${keysAt})`];
}
