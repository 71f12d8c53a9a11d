import {
  type Catalog,
  type CatalogRoute,
  type ProvidersInUse,
  selectRoutes,
} from '@image-gateway/shared/catalog/document';

/** Route of a model as the command line shows it. */
export type ListedRoute = Pick<CatalogRoute, 'provider' | 'model' | 'costMicros' | 'weight'>;

/** Lists the routes of each model of the catalog as the generation workers use them. */
export function listRoutes(
  { models }: Pick<Catalog, 'models'>,
  providers: ProvidersInUse,
): Readonly<Record<string, readonly ListedRoute[]>> {
  return Object.fromEntries([...models.values()].map((model) => [model.id, selectRoutes(model, providers)]));
}
