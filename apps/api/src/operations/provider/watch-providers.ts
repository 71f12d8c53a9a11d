import {
  type Catalog,
  type CatalogModel,
  type ProvidersInUse,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { hasEarlierWorkers } from '../system/list-live-workers.js';
import { listWorkerProviders, mergeProviders, type WorkerProviders } from './list-worker-providers.js';

/** Knowledge of the providers in use, followed within seconds. */
export interface ProvidersWatch {
  /** Resolves with a number that changes whenever the knowledge does. Never rejects, and waits for the database once at most. */
  readonly load: () => Promise<number>;
  /** Returns those of the models that a provider in use can draw, with its routes. Returns all while nobody has said which are in use. */
  readonly selectDrawable: (
    catalog: Pick<Catalog, 'instances'>,
    models: readonly CatalogModel[],
  ) => CatalogModel[];
  /** Returns true while a generation worker of an earlier release is alive. */
  readonly hasEarlierWorkers: () => boolean;
}

/** Dependencies of the watch. */
export interface ProvidersWatchDeps {
  readonly db: Pick<Database, 'run'>;
  /** Providers that this environment names; null when it names none, because the workers alone hold the keys. */
  readonly listProviders: ((catalog: Pick<Catalog, 'instances'>) => ProvidersInUse) | null;
}

const FRESH_MS = 1_000;

/** Creates the watch, which reads the reports of the workers while somebody asks. */
export function watchProviders({ db, listProviders }: ProvidersWatchDeps): ProvidersWatch {
  let workers: readonly WorkerProviders[] = [];
  let known = '[]';
  let isMixed = false;
  let revision = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const read = await Promise.all([listWorkerProviders(db), hasEarlierWorkers(db)]).catch(() => null);
    const [found, hasEarlier] = read ?? [workers, isMixed];
    isMixed = hasEarlier;
    if (JSON.stringify(found) !== known) {
      workers = found;
      known = JSON.stringify(found);
      revision++;
    }
    readAt = performance.now();
    reading = null;
  };
  return {
    load: async () => {
      const isFirst = readAt === Number.NEGATIVE_INFINITY;
      if (performance.now() - readAt > FRESH_MS) {
        reading ??= read();
      }
      if (isFirst) {
        await reading;
      }
      return revision;
    },
    selectDrawable: (catalog, models) => {
      if (workers.length === 0 && listProviders === null) {
        return [...models];
      }
      const here = listProviders?.(catalog) ?? { names: [], sandboxServesRest: false };
      const inUse = mergeProviders(here, workers);
      const drawable = models.map((model) => ({ ...model, routes: selectRoutes(model, inUse) }));
      return drawable.filter(({ routes }) => routes.length > 0);
    },
    hasEarlierWorkers: () => isMixed,
  };
}
