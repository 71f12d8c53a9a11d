import type {
  AspectRatio,
  Background,
  OutputFormat,
  Quality,
  Resolution,
  TaskType,
} from '../../contract/index.js';
import type { Catalog, CatalogModel, CatalogRoute } from './catalog.js';
import { getCostMicros } from './prices.js';

/** Properties of a request that decide which routes can do it. */
export interface Demand {
  readonly type: TaskType;
  readonly resolution: Resolution;
  readonly aspectRatio: AspectRatio;
  readonly inputs: number;
  /** Quality of the price; null or absent at a plain price. */
  readonly quality?: Quality | null;
  readonly seed?: number | null;
  readonly outputFormat?: OutputFormat | null;
  readonly background?: Background | null;
  readonly mask?: boolean | null;
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
  wish: number,
): AspectRatio {
  const distance = (ratio: AspectRatio): number => {
    const [width = 1, height = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log(width / height / wish));
  };
  return others.reduce((nearest, ratio) => (distance(ratio) < distance(nearest) ? ratio : nearest), first);
}

/** Returns true if a route can do what is demanded. */
export function canServe(route: CatalogRoute, demand: Demand): boolean {
  const { types, minInputs, maxInputs, sizes, accepts } = route;
  const { type, resolution, aspectRatio, inputs, quality, seed, outputFormat, background, mask } = demand;
  return (
    types.includes(type) &&
    getCostMicros(route, resolution, quality ?? null) !== undefined &&
    inputs <= maxInputs &&
    // None: nobody knows yet how many.
    (inputs === 0 || inputs >= minInputs) &&
    (Object.keys(sizes).length === 0 || sizes[aspectRatio]?.[resolution] !== undefined) &&
    (seed == null || accepts.seed !== null) &&
    (outputFormat == null || accepts.outputFormat.includes(outputFormat)) &&
    (background == null || accepts.background.includes(background)) &&
    (mask !== true || accepts.mask)
  );
}
