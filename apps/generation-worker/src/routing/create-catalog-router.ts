import {
  type Catalog,
  describeKeySources,
  getKeyVariable,
  listKeyFaults,
  listProvidersInUse,
  mergeStoredKeys,
  type OpenedKeys,
  readWithStoredKeys,
} from '@image-gateway/shared/catalog/document';
import {
  type ActiveCatalog,
  countJobsOfKeys,
  createCatalogFeed,
  type Database,
  type WorkerReport,
} from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import { type Metrics, watchCatalog } from '@image-gateway/shared/metrics';
import { chooseProviders, PROVIDER_NAMES, type UpstreamSettings } from '@image-gateway/shared/upstreams';
import type { Settings } from '../env.js';
import { createProviders } from '../providers/create-providers.js';
import type { JobPace } from '../providers/follow-job.js';
import { createRouter, type Router } from './create-router.js';
import { createRouteFinder, findInstance } from './find-routes.js';
import { followStoredKeys } from './follow-stored-keys.js';

/** Providers that the reports of this worker name. */
export type ReportedProviders = Pick<WorkerReport['report'], 'providers' | 'sandboxServesRest' | 'keys'>;

/** Parts of a router over the catalog. */
export interface CatalogRouterParts {
  readonly settings: Settings;
  readonly db: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly jobPace?: JobPace;
}

/** Creates the router over the active catalog and the stored keys of providers, which are followed until the signal. */
export function createCatalogRouter(
  { settings, db, logger, metrics, jobPace }: CatalogRouterParts,
  signal: AbortSignal,
  reportProviders: (providers: ReportedProviders) => void,
): Router {
  const watch = watchCatalog({ logger, metrics });
  let inUse: Settings = settings;
  let providers = createProviders(settings, jobPace);
  let makers = providers;
  let storedKeys: OpenedKeys['keys'] = new Map();
  const stored = followStoredKeys({ settings, db, logger, signal }, (keys, ending) => {
    storedKeys = keys;
    inUse = mergeKeys(settings, keys, inUse);
    providers = createProviders(inUse, jobPace);
    makers = ending.size === 0 ? providers : createProviders(addKeys(inUse, ending), jobPace);
  });
  const report = ({ catalog }: ActiveCatalog): void => {
    reportProviders({
      ...listProviders(inUse, catalog, logger),
      keys: describeKeySources(catalog, { settings, readKeys: settings.readKeys }, storedKeys),
    });
    tellLostJobs().catch((error: unknown) =>
      logger.warn('the running jobs of the keys of providers could not be counted', { error }),
    );
  };
  /** Jobs of keys that are gone from the environment end as unknown outcomes; the key that comes back in time saves them. */
  const tellLostJobs = async (): Promise<void> => {
    const lost = (await countJobsOfKeys(db)).filter(
      (job) => !makers.findMaker(job)?.keys.some((key) => key?.fingerprint === job.fingerprint),
    );
    if (lost.length > 0) {
      const jobs = lost.map(({ provider, fingerprint, jobs: count }) => ({ provider, fingerprint, count }));
      logger.error('running jobs have a key that is no longer here, and cannot be polled', { jobs });
    }
  };
  const feed = createCatalogFeed({
    db,
    ...watch,
    onChange: (active) => {
      watch.onChange(active);
      void stored.open(active.catalog).then(() => report(active));
    },
  });
  stored.start(async () => {
    const active = await feed.load();
    if (await stored.open(active.catalog)) {
      report(active);
    }
  });
  signal.addEventListener('abort', feed.stop, { once: true });
  const router = createRouter(
    {
      find: (name, instance) => providers.find(name, instance),
      findMaker: (call) => makers.findMaker(call),
    },
    createRouteFinder(feed, {
      ...settings,
      get chosen() {
        return inUse.chosen;
      },
      readKeys: (variable, instance) => inUse.readKeys(variable, instance),
    }),
    (name) => findInstance(feed, name),
  );
  return {
    ...router,
    listCandidates: async (task) => {
      const [{ catalog }] = await Promise.all([feed.load(), stored.follow()]);
      await stored.open(catalog);
      return router.listCandidates(task);
    },
  };
}

/** Returns the settings with stored keys. The sandbox that fills in for missing keys never comes back once a key was there. */
function mergeKeys(settings: Settings, keys: OpenedKeys['keys'], before: Settings): Settings {
  const hadProvider = before.chosen.builtIn.some((name) => name !== 'sandbox');
  const merged = {
    ...mergeStoredKeys(settings, keys),
    SANDBOX_FALLBACK: before.SANDBOX_FALLBACK && !hadProvider,
  };
  return {
    ...merged,
    chosen: chooseProviders(merged),
    readKeys: readWithStoredKeys(settings.readKeys, keys),
  };
}

/** Returns the settings with keys that are kept for the jobs that they submitted, also of providers that have no other key. */
function addKeys(settings: Settings, ending: OpenedKeys['keys']): Settings {
  const former = PROVIDER_NAMES.filter((name) => ending.has(name));
  const added = former.map((name) => {
    const variable = getKeyVariable(name, { instances: new Map() });
    return [variable, [...(settings[variable as keyof UpstreamSettings] ?? []), ...(ending.get(name) ?? [])]];
  });
  const { chosen, readKeys } = settings;
  return {
    ...settings,
    ...Object.fromEntries(added),
    chosen: { ...chosen, builtIn: [...new Set([...chosen.builtIn, ...former])] },
    readKeys: (variable, instance = '') => [...readKeys(variable, instance), ...(ending.get(instance) ?? [])],
  };
}

/** Lists and logs the providers in use, and logs the names in `PROVIDERS` that are neither built in nor an instance with its keys. */
function listProviders({ chosen, readKeys }: Settings, catalog: Catalog, logger: Logger): ReportedProviders {
  const { names: providers, sandboxServesRest } = listProvidersInUse(catalog, chosen, readKeys);
  logger.info('providers in use', { providers });
  const missing = (chosen.named ?? []).filter((name) => !providers.includes(name));
  if (missing.length > 0) {
    logger.warn('PROVIDERS names providers that are not configured', { missing });
  }
  const unusable = listKeyFaults(catalog, readKeys);
  if (unusable.length > 0) {
    logger.error('keys of providers in the environment cannot be used and are sent nowhere', { unusable });
  }
  return { providers, sandboxServesRest };
}
