import {
  type Catalog,
  type CatalogModel,
  type ProvidersInUse,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';
import { createFollower, type FollowerOptions } from '@image-gateway/shared/concurrency';
import type { Database } from '@image-gateway/shared/db';
import type { Drawing } from '@image-gateway/shared/task';
import { listDrawings } from './list-live-workers.js';
import { listWorkerProviders, mergeProviders, type WorkerProviders } from './list-worker-providers.js';

/** Knowledge of the providers in use, followed within seconds. */
export interface ProvidersWatch {
  /**
   * Resolves with a number that changes whenever the knowledge does. Never rejects, and waits for the database for half a
   * second at most.
   */
  readonly load: () => Promise<number>;
  /** Returns those of the models that a provider in use can draw, with its routes. Returns all while nobody has said which are in use. */
  readonly selectDrawable: (
    catalog: Pick<Catalog, 'instances'>,
    models: readonly CatalogModel[],
  ) => CatalogModel[];
  /** Returns what the living generation workers draw, once for each build. */
  readonly listDrawings: () => readonly Drawing[];
}

/** Dependencies of the watch. */
export interface ProvidersWatchDeps extends Pick<FollowerOptions, 'onStale' | 'now'> {
  readonly db: Pick<Database, 'run'>;
  /** Providers that this environment names; null when it names none, because the workers alone hold the keys. */
  readonly listProviders: ((catalog: Pick<Catalog, 'instances'>) => ProvidersInUse) | null;
}

/** Creates the watch, which reads the reports of the workers while somebody asks. */
export function watchProviders({ db, listProviders, ...following }: ProvidersWatchDeps): ProvidersWatch {
  let workers: readonly WorkerProviders[] = [];
  let known = '[]';
  let drawings: readonly Drawing[] = [];
  let revision = 0;

  const { follow } = createFollower({
    read: async () => {
      const [found, latest] = await Promise.all([listWorkerProviders(db), listDrawings(db)]);
      drawings = latest;
      if (JSON.stringify(found) !== known) {
        workers = found;
        known = JSON.stringify(found);
        revision++;
      }
    },
    ...following,
  });
  return {
    load: async () => {
      await follow();
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
    listDrawings: () => drawings,
  };
}
