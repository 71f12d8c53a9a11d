import { TASK_TYPES } from '../../contract/index.js';
import type { CatalogModel, CatalogRoute } from './catalog.js';
import type { ProvidersInUse } from './list-providers-in-use.js';

/** Maximum number of input images that the sandbox takes. */
const SANDBOX_INPUTS = 9;

/**
 * Returns the routes of a model through the providers in use, in the order of preference. Built-in routes follow the order
 * of the providers.
 */
export function selectRoutes(
  model: Pick<CatalogModel, 'id' | 'routes' | 'priceMicros' | 'hasBuiltInRoutes'>,
  { names, sandboxServesRest }: ProvidersInUse,
  accepts: (route: CatalogRoute) => boolean = () => true,
): readonly CatalogRoute[] {
  const rank = ({ provider }: CatalogRoute): number => names.indexOf(provider);
  const usable = model.routes.filter((route) => rank(route) !== -1 && accepts(route));
  if (usable.length === 0 && sandboxServesRest) {
    return [toSandboxRoute(model)];
  }
  return model.hasBuiltInRoutes ? usable.sort((a, b) => rank(a) - rank(b)) : usable;
}

function toSandboxRoute({ id, priceMicros }: Pick<CatalogModel, 'id' | 'priceMicros'>): CatalogRoute {
  return {
    provider: 'sandbox',
    model: id,
    costMicros: Object.fromEntries(Object.keys(priceMicros).map((resolution) => [resolution, 0n])),
    types: TASK_TYPES,
    maxInputs: SANDBOX_INPUTS,
    maxImagesPerCall: null,
    weight: null,
    concurrency: null,
    options: {},
    sizes: {},
    resolution: 'sent',
  };
}
