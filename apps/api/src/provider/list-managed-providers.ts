import {
  type Catalog,
  findTrialRoute,
  getKeyVariable,
  type KeySource,
} from '@image-gateway/shared/catalog/document';
import {
  countJobsOfKeys,
  type Database,
  type JobsOfKey,
  listEndingKeys,
  listProviderKeys,
  loadActiveCatalog,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import type { ManagedProvider, ManagedProvidersView } from '@image-gateway/shared/provider/schema';
import {
  computeFingerprint,
  openKeys,
  PROVIDER_NAMES,
  splitKeys,
  type UpstreamSettings,
} from '@image-gateway/shared/upstreams';
import { addProviderCheck, findProviderCheck, listNewestChecks } from './add-provider-check.js';
import { findPlace } from './keep-provider-keys.js';
import { listLiveWorkers } from './list-live-workers.js';
import { listUnusedBy, listWorkerProviders } from './list-worker-providers.js';
import { listProviderLimits } from './provider-limits.js';

type Db = Pick<Database, 'run'>;

/** Settings that say what this environment knows of providers. */
export interface ManagedSettings {
  /** ENCRYPTION_KEY. */
  readonly encryptionKeys: readonly Buffer[];
  readonly upstreams: UpstreamSettings;
}

/** Lists all providers with the state of their keys, ceilings, pauses and trials. */
export async function listManagedProviders(
  db: Db,
  { encryptionKeys, upstreams }: ManagedSettings,
): Promise<ManagedProvidersView> {
  const [{ catalog }, stored, ending, jobs, limits, checks, live, workers] = await Promise.all([
    loadActiveCatalog(db),
    listProviderKeys(db),
    listEndingKeys(db),
    countJobsOfKeys(db),
    listProviderLimits(db),
    listNewestChecks(db),
    listLiveWorkers(db),
    listWorkerProviders(db),
  ]);
  const sources = live.flatMap(({ report }) => (report.keys ? [report.keys] : []));
  const present = (name: string): ManagedProvider => {
    const variable = getKeyVariable(name, catalog);
    const kept = stored.find((one) => one.name === name);
    const trial = findTrialRoute(catalog, name, null);
    const { cost_day, spent_today, paused, paused_until } =
      limits.find(({ provider }) => provider === name) ?? NO_LIMIT;
    return {
      name,
      protocol: catalog.instances.get(name)?.protocol ?? name,
      is_instance: catalog.instances.has(name),
      address: findAddress(name, { catalog, upstreams, sources, takesKeys: variable !== null }),
      key_variable: variable,
      key_source: findSource(name, sources),
      stored: kept
        ? {
            last_four: kept.lastFour,
            since: kept.createdAt.toISOString(),
            by: kept.createdBy,
            tested: kept.tested,
            address: kept.hostPort,
          }
        : null,
      ending: ending
        .filter((one) => one.name === name)
        .map((one) => ({
          last_four: one.lastFour,
          since: one.endedAt.toISOString(),
          jobs: countJobs(
            openKeys(encryptionKeys, one, one),
            jobs.filter(({ provider }) => provider === name),
          ),
        })),
      trial: trial && {
        model: trial.model.id,
        upstream_model: trial.route.model,
        cost: formatDollars(trial.costMicros),
      },
      unused_by: catalog.instances.has(name) ? listUnusedBy(workers, name) : [],
      check: checks.find(({ provider }) => provider === name) ?? null,
      cost_day,
      spent_today,
      paused,
      paused_until,
    };
  };
  const builtIn = PROVIDER_NAMES.filter((name) => name !== 'sandbox');
  return {
    can_store: encryptionKeys.length > 0,
    can_try: sources.length > 0,
    providers: [...builtIn, ...catalog.instances.keys()].map(present),
  };
}

function countJobs(text: string | null, jobs: readonly JobsOfKey[]): number | null {
  const own = text === null ? null : splitKeys(text).map(computeFingerprint);
  return own && jobs.reduce((sum, one) => sum + (own.includes(one.fingerprint) ? one.jobs : 0), 0);
}

const NO_LIMIT = { cost_day: null, spent_today: '$0.00', paused: false, paused_until: null } as const;

function findSource(
  name: string,
  sources: readonly Readonly<Record<string, KeySource>>[],
): KeySource['source'] {
  const told = sources.map((source) => source[name]?.source);
  return (['environment', 'database'] as const).find((one) => told.includes(one)) ?? null;
}

function findAddress(
  name: string,
  { takesKeys, ...places }: Parameters<typeof findPlace>[1] & { readonly takesKeys: boolean },
): string | null {
  if (takesKeys) {
    return findPlace(name, places).hostPort;
  }
  const { baseUrl = null } = places.catalog.instances.get(name) ?? {};
  return baseUrl === null ? null : new URL(baseUrl).host;
}

/** Returns the catalog where it or this release has the provider; throws AppError `NOT_FOUND`. */
export async function requireProvider(db: Db, name: string): Promise<Catalog> {
  const { catalog } = await loadActiveCatalog(db);
  const names: readonly string[] = [...PROVIDER_NAMES, ...catalog.instances.keys()];
  if (!names.includes(name)) {
    throw new AppError('NOT_FOUND', {
      publicMessage: `There is no provider ${name}. There are: ${names.join(', ')}.`,
    });
  }
  return catalog;
}

/**
 * Asks the generation workers for a trial of a provider. An image needs the cost that its operator was told. Throws AppError
 * `VALIDATION_ERROR`.
 */
export async function askForCheck(
  db: Db,
  { name, cost, actor }: { readonly name: string; readonly cost: string | null; readonly actor: string },
) {
  const catalog = await requireProvider(db, name);
  const trial = cost === null ? null : findTrialRoute(catalog, name, null);
  if (cost !== null && (trial === null || formatDollars(trial.costMicros) !== cost)) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'The cost of the image is another one by now. Look at the page again.',
    });
  }
  const id = await addProviderCheck(db, {
    provider: name,
    model: trial?.model.id ?? null,
    imageMicros: trial?.costMicros ?? null,
    actor,
  });
  return findProviderCheck(db, id);
}
