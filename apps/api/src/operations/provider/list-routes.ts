import { type Catalog, selectRoutes } from '@image-gateway/shared/catalog/document';
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
  return Object.fromEntries(
    [...models.values()].map((model) => [model.id, fileRoutes?.[model.id] ?? selectRoutes(model, providers)]),
  );
}
