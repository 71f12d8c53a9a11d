import {
  type CatalogModel,
  canServe,
  listEnabledModels,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';
import type { CatalogFeed, TaskRow } from '@image-gateway/shared/db';
import { PROVIDER_NAMES, type Route, type RoutingTable, UPSTREAMS } from '@image-gateway/shared/upstreams';

/** Properties of a task that decide its routes. */
export type RoutedTask = Pick<TaskRow, 'id' | 'model' | 'resolution' | 'type' | 'imageUrls' | 'aspectRatio'>;

/** Route that can do a task. */
export interface TaskRoute extends Route {
  /** True when the request names the resolution. */
  readonly takesResolution: boolean;
  /** Pixels to request, such as `1344x768`; absent: those of the provider. */
  readonly size?: string;
}

/** Finds the routes of a task in the order of preference. Throws AppError while no catalog can be read. */
export type FindRoutes = (task: RoutedTask) => Promise<readonly TaskRoute[]>;

/** Settings that decide which routes are used. */
export interface RouteSettings {
  readonly PROVIDERS: readonly string[];
  readonly ENABLED_MODELS: readonly string[] | undefined;
  readonly GENERATION_CONCURRENCY: number;
  /** Table of ROUTES_FILE, which replaces the routes of the models that it names; null for none. */
  readonly fileRoutes: RoutingTable | null;
}

const MAX_IMAGES_PER_CALL = 4;

/** Creates the search over the newest catalog version that still offers a task. */
export function createRouteFinder(
  feed: Pick<CatalogFeed, 'load' | 'findEarlier'>,
  settings: RouteSettings,
): FindRoutes {
  const findModel = async ({ model, resolution, type }: RoutedTask): Promise<CatalogModel | undefined> => {
    const offers = (catalog: Parameters<typeof listEnabledModels>[0]): boolean =>
      listEnabledModels(catalog, settings.ENABLED_MODELS).some(
        ({ id, priceMicros, types }) =>
          id === model && priceMicros[resolution] !== undefined && types.includes(type),
      );
    const active = await feed.load();
    if (offers(active.catalog)) {
      return active.catalog.models.get(model);
    }
    const earlier = await feed.findEarlier(active.version, offers);
    return (earlier ?? active).catalog.models.get(model);
  };

  return async (task) => {
    const fromFile = settings.fileRoutes?.[task.model];
    if (fromFile) {
      return fromFile.filter((route) => isAble(route, task)).map(toFileRoute);
    }
    const model = await findModel(task);
    if (!model) {
      return [];
    }
    const { resolution, type, aspectRatio, imageUrls } = task;
    const demand = { resolution, type, aspectRatio, inputs: imageUrls.length };
    return selectRoutes(model, settings.PROVIDERS, (route) => canServe(route, demand)).map((route) => {
      const size = route.sizes[aspectRatio]?.[resolution];
      return {
        ...route,
        concurrency: route.concurrency ?? settings.GENERATION_CONCURRENCY,
        maxImagesPerCall: route.maxImagesPerCall ?? getMaxImages(route.provider),
        takesResolution: route.resolution === 'sent',
        ...(size !== undefined && { size }),
      };
    });
  };
}

function isAble(
  { costMicros, types, maxInputs }: Route,
  { resolution, type, imageUrls }: RoutedTask,
): boolean {
  return costMicros[resolution] !== undefined && types.includes(type) && imageUrls.length <= maxInputs;
}

function toFileRoute(route: Route): TaskRoute {
  return { ...route, takesResolution: Object.keys(route.costMicros).length > 1 };
}

function getMaxImages(provider: string): number {
  const name = PROVIDER_NAMES.find((one) => one === provider);
  return name === undefined || name === 'sandbox' ? MAX_IMAGES_PER_CALL : UPSTREAMS[name].maxImagesPerCall;
}
