import { type Catalog, listProvidersInUse } from '@image-gateway/shared/catalog/document';
import { createCatalogFeed, type Database, type WorkerReport } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import { type Metrics, watchCatalog } from '@image-gateway/shared/metrics';
import type { Settings } from '../env.js';
import { createProviders } from '../providers/create-providers.js';
import type { JobPace } from '../providers/follow-job.js';
import { createRouter, type Router } from './create-router.js';
import { createRouteFinder, findInstance } from './find-routes.js';

/** Providers that the reports of this worker name. */
export type ReportedProviders = Pick<WorkerReport['report'], 'providers' | 'sandboxServesRest'>;

/** Parts of a router over the catalog. */
export interface CatalogRouterParts {
  readonly settings: Settings;
  readonly db: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly jobPace?: JobPace;
}

/** Creates the router over the active catalog, which is followed until the signal. */
export function createCatalogRouter(
  { settings, db, logger, metrics, jobPace }: CatalogRouterParts,
  signal: AbortSignal,
  reportProviders: (providers: ReportedProviders) => void,
): Router {
  const watch = watchCatalog({ logger, metrics });
  const feed = createCatalogFeed({
    db,
    ...watch,
    onChange: (active) => {
      watch.onChange(active);
      reportProviders(listProviders(settings, active.catalog, logger));
    },
  });
  signal.addEventListener('abort', feed.stop, { once: true });
  const providers = createProviders(settings, jobPace);
  return createRouter(providers, createRouteFinder(feed, settings), (name) => findInstance(feed, name));
}

/** Lists and logs the providers in use, and logs the names in `PROVIDERS` that are neither built in nor an instance with its keys. */
function listProviders({ chosen, readKeys }: Settings, catalog: Catalog, logger: Logger): ReportedProviders {
  const { names: providers, sandboxServesRest } = listProvidersInUse(catalog, chosen, readKeys);
  logger.info('providers in use', { providers });
  const missing = (chosen.named ?? []).filter((name) => !providers.includes(name));
  if (missing.length > 0) {
    logger.warn('PROVIDERS names providers that are not configured', { missing });
  }
  return { providers, sandboxServesRest };
}
