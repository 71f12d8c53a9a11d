import type { Catalog } from '@image-gateway/shared/catalog/document';
import type { Route, RoutingTable } from '@image-gateway/shared/upstreams';

/** Route of a model as the command line shows it. */
export type ListedRoute = Pick<Route, 'provider' | 'model' | 'costMicros' | 'weight'>;

/** Settings that decide which routes are used. */
export interface RouteChoice {
  /** Providers in the order of preference. */
  readonly providers: readonly string[];
  /** Table of ROUTES_FILE, which replaces the routes of the models that it names; null for none. */
  readonly fileRoutes: RoutingTable | null;
}

/** Lists the routes of each model of the catalog as the generation workers use them. */
export function listRoutes(
  { models }: Catalog,
  { providers, fileRoutes }: RouteChoice,
): Readonly<Record<string, readonly ListedRoute[]>> {
  const rank = ({ provider }: ListedRoute): number => providers.indexOf(provider);
  const isSandboxAlone = providers.length === 1 && providers[0] === 'sandbox';
  return Object.fromEntries(
    [...models.values()].map(({ id, routes, priceMicros, hasBuiltInRoutes }): [string, ListedRoute[]] => {
      const fromFile = fileRoutes?.[id];
      if (fromFile) {
        return [id, [...fromFile]];
      }
      const usable: ListedRoute[] = routes.filter((route) => rank(route) !== -1);
      if (usable.length === 0 && isSandboxAlone) {
        const free = Object.fromEntries(Object.keys(priceMicros).map((resolution) => [resolution, 0n]));
        return [id, [{ provider: 'sandbox', model: id, costMicros: free, weight: null }]];
      }
      return [id, hasBuiltInRoutes ? usable.sort((a, b) => rank(a) - rank(b)) : usable];
    }),
  );
}
