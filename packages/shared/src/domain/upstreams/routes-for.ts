import { MODELS } from '../catalog/index.js';
import { DEFAULT_ROUTES } from './default-routes.js';
import type { ProviderName } from './provider-name.js';
import { readRoutes } from './read-routes.js';
import type { Route, RoutingTable } from './route.js';

/** The sandbox draws everything, for nothing. */
const SANDBOX_ROUTES = {
  models: Object.fromEntries(
    Object.keys(MODELS).map((model) => [
      model,
      [{ provider: 'sandbox', model, cost_per_image: { '1k': '0', '2k': '0', '4k': '0' } }],
    ]),
  ),
};

/**
 * The routes that hold: those of the file's text in its own order, or the default ones in the order in which the providers
 * are named; without those of providers that are not named. Throws an Error that names every fault of the file.
 */
export function routesFor(providers: readonly ProviderName[], fileText: string | null): RoutingTable {
  const order: readonly string[] = providers;
  const rankOf = ({ provider }: Route): number => order.indexOf(provider);
  const named = (routes: readonly Route[] = []): Route[] => routes.filter((route) => rankOf(route) !== -1);
  if (fileText !== null) {
    const written = readRoutes(JSON.parse(fileText));
    return Object.fromEntries(Object.entries(written).map(([model, routes]) => [model, named(routes)]));
  }
  const [defaults, sandbox] = [readRoutes(DEFAULT_ROUTES), readRoutes(SANDBOX_ROUTES)];
  return Object.fromEntries(
    Object.keys(MODELS).map((model) => [
      model,
      [...named(defaults[model]), ...named(sandbox[model])].sort((a, b) => rankOf(a) - rankOf(b)),
    ]),
  );
}
