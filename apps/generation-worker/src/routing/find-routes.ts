import {
  type Catalog,
  type CatalogRoute,
  drawPurchase,
  findPurchase,
  findRoutes,
  listEnabledModels,
  listProvidersInUse,
  type ProviderInstance,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';
import type { CatalogFeed, TaskRow } from '@image-gateway/shared/db';
import { readRequirements } from '@image-gateway/shared/task';
import { type ChosenProviders, PROTOCOLS, type ReadKeys, UPSTREAMS } from '@image-gateway/shared/upstreams';

import type { RouteTerms } from '../providers/port.js';
import type { FieldTask } from './choose-fields.js';

/** Properties of a task that decide its routes, of which optional fields may be absent. */
export type RoutedTask = Pick<TaskRow, 'id' | 'model' | 'resolution' | 'type' | 'imageUrls' | 'aspectRatio'> &
  Partial<FieldTask>;

/** Route that can do a task. */
export interface TaskRoute
  extends Pick<CatalogRoute, 'provider' | 'model' | 'weight' | 'options' | 'timeoutMs' | 'tokenCost'> {
  /** Optional fields that it takes. */
  readonly terms: RouteTerms;
  /** Instance of the catalog; absent for a built-in provider. */
  readonly instance?: ProviderInstance;
  /** Cost of an image of the task in micro-dollars. */
  readonly listCostMicros: bigint;
  readonly maxImagesPerCall: number;
  /** Calls of this process at a time. */
  readonly concurrency: number;
  /** True when the request names the resolution. */
  readonly takesResolution: boolean;
  /** Pixels to request, such as `1344x768`; absent: those of the provider. */
  readonly size?: string;
}

/** Finds the routes of a task in the order of preference. Throws AppError while no catalog can be read. */
export type FindRoutes = (task: RoutedTask) => Promise<readonly TaskRoute[]>;

/** Settings that decide which routes are used. */
export interface RouteSettings {
  readonly chosen: ChosenProviders;
  readonly readKeys: ReadKeys;
  readonly ENABLED_MODELS: readonly string[] | undefined;
  readonly GENERATION_CONCURRENCY: number;
}

const MAX_IMAGES_PER_CALL = 4;

/** Creates the search over the newest catalog version that still offers a task. */
export function createRouteFinder(
  feed: Pick<CatalogFeed, 'load' | 'refresh' | 'findEarlier'>,
  settings: RouteSettings,
): FindRoutes {
  const { ENABLED_MODELS, GENERATION_CONCURRENCY } = settings;
  const findCatalog = async ({ model, resolution, type, quality = null }: RoutedTask): Promise<Catalog> => {
    const offers = (catalog: Catalog): boolean =>
      listEnabledModels(catalog, ENABLED_MODELS).some(
        (one) =>
          one.id === model &&
          findPurchase(one, resolution, quality) !== undefined &&
          one.types.includes(type),
      );
    const active = await feed.load();
    if (offers(active.catalog)) {
      return active.catalog;
    }
    // The API may have followed a new version first.
    const newest = await feed.refresh();
    if (offers(newest.catalog)) {
      return newest.catalog;
    }
    const earlier = await feed.findEarlier(newest.version, offers);
    return (earlier ?? newest).catalog;
  };

  return async (task) => {
    const catalog = await findCatalog(task);
    const model = catalog.models.get(task.model);
    if (!model) {
      return [];
    }
    const { type, resolution, aspectRatio, imageUrls, quality = null, wishes = null } = task;
    const required = { ...readRequirements(task), type, resolution, aspectRatio, inputs: imageUrls.length };
    const routes = findRoutes(model, required);
    // Both change with the stored keys.
    const inUse = listProvidersInUse(catalog, settings.chosen, settings.readKeys);
    return selectRoutes({ ...model, routes }, inUse).map((route) => {
      const size = route.sizes[aspectRatio]?.[resolution];
      const instance = catalog.instances.get(route.provider);
      const { costMicros, ...drawn } = drawPurchase(route, resolution, {
        quality,
        preferred: wishes?.quality ?? null,
      });
      return {
        ...route,
        ...(instance && { instance }),
        terms: { accepts: route.accepts, ...drawn },
        listCostMicros: costMicros,
        concurrency: route.concurrency ?? GENERATION_CONCURRENCY,
        maxImagesPerCall: route.maxImagesPerCall ?? getMaxImages(instance?.protocol ?? route.provider),
        takesResolution: route.resolution === 'sent',
        ...(size !== undefined && { size }),
      };
    });
  };
}

/** Finds an instance in the newest catalog version that has it; null for none. */
export async function findInstance(
  feed: Pick<CatalogFeed, 'load' | 'findEarlier'>,
  name: string,
): Promise<ProviderInstance | null> {
  const has = ({ instances }: Catalog): boolean => instances.has(name);
  const active = await feed.load();
  const found = has(active.catalog) ? active : await feed.findEarlier(active.version, has);
  return found?.catalog.instances.get(name) ?? null;
}

function getMaxImages(protocol: string): number {
  const name = PROTOCOLS.find((one) => one === protocol);
  return name === undefined || name === 'sandbox' ? MAX_IMAGES_PER_CALL : UPSTREAMS[name].maxImagesPerCall;
}
