import type { AspectRatio, Quality, Resolution, TaskType } from '../../contract/index.js';
import { isCapable, type OptionalProperty } from '../../upstreams/index.js';
import type { Catalog, CatalogModel, CatalogRoute } from './catalog.js';
import { getCostMicros } from './prices.js';

/** Requirements of a request for the route that draws it. A null or absent property requires nothing. */
export interface Requirements extends Readonly<Partial<Record<OptionalProperty, unknown>>> {
  readonly type?: TaskType;
  readonly resolution?: Resolution;
  readonly aspectRatio?: AspectRatio | null;
  /** Number of input images; 0: nobody knows yet how many. */
  readonly inputs?: number;
  /** Quality of the price; null at a plain price. */
  readonly quality?: Quality | null;
}

/** Returns the models on offer: those that ENABLED_MODELS names where it is set, else the enabled ones. */
export function listEnabledModels(
  { models }: Pick<Catalog, 'models'>,
  setting: readonly string[] | undefined,
): CatalogModel[] {
  const all = [...models.values()];
  return all.filter(({ id, enabled }) => (setting && setting.length > 0 ? setting.includes(id) : enabled));
}

/** Returns the ratio nearest to a width over height, by its logarithm: twice as wide is as far as twice as high. */
export function findNearestRatio(
  [first, ...others]: readonly [AspectRatio, ...AspectRatio[]],
  shape: number,
): AspectRatio {
  const distance = (ratio: AspectRatio): number => {
    const [width = 1, height = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(width / height / shape));
  };
  // Less by more than the rounding: a square is as near to 16:9 as to 9:16.
  const isNearer = (a: AspectRatio, b: AspectRatio) => distance(a) < distance(b) - 1e-9;
  return others.reduce((nearest, ratio) => (isNearer(ratio, nearest) ? ratio : nearest), first);
}

/** Finds the routes that meet everything that a request requires. It is the only judge of it, for every door and for the workers. */
export function findRoutes<Route extends CatalogRoute>(
  { routes }: { readonly routes: readonly Route[] },
  { type, resolution, aspectRatio, inputs = 0, ...fields }: Requirements,
): Route[] {
  const required = Object.entries(fields).filter(([, value]) => value != null);
  return routes.filter((route) => {
    const { types, minInputs, maxInputs, sizes, accepts } = route;
    return (
      (type === undefined || types.includes(type)) &&
      (resolution === undefined || getCostMicros(route, resolution, fields.quality ?? null) !== undefined) &&
      inputs <= maxInputs &&
      (inputs === 0 || inputs >= minInputs) &&
      (resolution === undefined ||
        aspectRatio == null ||
        Object.keys(sizes).length === 0 ||
        sizes[aspectRatio]?.[resolution] !== undefined) &&
      required.every(([property, value]) => isCapable(accepts, property as OptionalProperty, value))
    );
  });
}
