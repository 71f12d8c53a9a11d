import type { Quality, Resolution } from '../../contract/index.js';
import type { Catalog, CatalogModel, CatalogRoute } from './catalog.js';
import { getCostMicros, listOffers } from './prices.js';

/** Route of a provider for one trial image. */
export interface TrialRoute {
  readonly model: CatalogModel;
  readonly route: CatalogRoute;
  readonly resolution: Resolution;
  readonly quality: Quality | null;
  /** List cost of the image. */
  readonly costMicros: bigint;
}

/** Lists the upstream models that the routes of a provider name. */
export function listRouteModels({ models }: Pick<Catalog, 'models'>, provider: string): readonly string[] {
  const routes = [...models.values()].flatMap((model) => model.routes);
  return [...new Set(routes.filter((route) => route.provider === provider).map(({ model }) => model))];
}

/**
 * Finds the cheapest image that a provider can draw without an input; null for none. A wanted model is named as in the catalog,
 * or as the provider names it.
 */
export function findTrialRoute(
  { models }: Pick<Catalog, 'models'>,
  provider: string,
  wanted: string | null,
): TrialRoute | null {
  const found = [...models.values()].flatMap((model) =>
    model.routes
      .filter((route) => route.provider === provider && route.types.includes('image_generate'))
      .filter((route) => wanted === null || model.id === wanted || route.model === wanted)
      .flatMap((route) =>
        listOffers(model).flatMap((offer): TrialRoute[] => {
          const costMicros = getCostMicros(route, offer.resolution, offer.quality);
          return costMicros === undefined ? [] : [{ model, route, ...offer, costMicros }];
        }),
      ),
  );
  return found.sort((a, b) => Number(a.costMicros - b.costMicros))[0] ?? null;
}
