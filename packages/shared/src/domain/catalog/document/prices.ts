import { QUALITIES, type Quality, RESOLUTIONS, type Resolution } from '../../contract/index.js';
import type { Amounts, CatalogModel, CatalogRoute } from './catalog.js';

type Priced = Pick<CatalogModel, 'priceMicros'>;
type Costed = Pick<CatalogRoute, 'costMicros' | 'accepts' | 'defaultQuality'>;

/** Lists the resolutions that a model offers. */
export function listResolutions({ priceMicros }: Priced): Resolution[] {
  return RESOLUTIONS.filter((resolution) => priceMicros[resolution] !== undefined);
}

/** Lists the qualities that a model offers at a resolution; none at a plain price. */
export function listQualities({ priceMicros }: Priced, resolution: Resolution): Quality[] {
  const price = priceMicros[resolution];
  return QUALITIES.filter((quality) => typeof price === 'object' && price[quality] !== undefined);
}

/** Lists everything that a model sells: each resolution with each of its qualities, or with null at a plain price. */
export function listOffers(
  model: Priced,
): readonly { readonly resolution: Resolution; readonly quality: Quality | null }[] {
  return listResolutions(model).flatMap((resolution) => {
    const qualities = listQualities(model, resolution);
    return (qualities.length > 0 ? qualities : [null]).map((quality) => ({ resolution, quality }));
  });
}

/** Returns the quality of a request that names none: medium, else the cheapest; null at a plain price. */
export function getDefaultQuality({ priceMicros }: Priced, resolution: Resolution): Quality | null {
  return chooseDefault(priceMicros[resolution]);
}

/** Returns the price of an image in micro-dollars; undefined where it is not on offer. Quality null is the default one. */
export function getPriceMicros(
  model: Priced,
  resolution: Resolution,
  quality: Quality | null,
): bigint | undefined {
  const price = model.priceMicros[resolution];
  if (typeof price !== 'object') {
    return quality === null ? price : undefined;
  }
  const wanted = quality ?? getDefaultQuality(model, resolution);
  return wanted === null ? undefined : price[wanted];
}

/** Returns the quality that a route is asked for or draws by itself at a plain price; null where nobody knows it. */
export function getDrawnQuality(
  { costMicros, accepts, defaultQuality }: Costed,
  resolution: Resolution,
): Quality | null {
  const cost = costMicros[resolution];
  if (defaultQuality !== null || typeof cost !== 'object') {
    return defaultQuality;
  }
  return chooseDefault(
    Object.fromEntries(
      Object.entries(cost).filter(([quality]) => accepts.quality.includes(quality as Quality)),
    ),
  );
}

/**
 * Returns the cost of an image of a route in micro-dollars; undefined where it is not bought there. A plain cost is that of the
 * quality which the route draws by default. Quality null is that of a plain price.
 */
export function getCostMicros(
  route: Costed,
  resolution: Resolution,
  quality: Quality | null,
): bigint | undefined {
  const cost = route.costMicros[resolution];
  if (quality !== null && !route.accepts.quality.includes(quality)) {
    return undefined;
  }
  const drawn = getDrawnQuality(route, resolution);
  if (typeof cost !== 'object') {
    return quality === null || quality === drawn ? cost : undefined;
  }
  const bought = quality ?? drawn;
  return bought === null ? undefined : cost[bought];
}

/** Lists the qualities that a route may draw at a plain price: none that is dearer than what it draws by default. */
export function listPlainQualities(route: Costed, resolution: Resolution): Quality[] {
  const drawn = getDrawnQuality(route, resolution);
  const limit = getCostMicros(route, resolution, null);
  if (drawn === null || limit === undefined) {
    return [];
  }
  return QUALITIES.slice(0, QUALITIES.indexOf(drawn) + 1).filter(
    (quality) =>
      route.accepts.quality.includes(quality) &&
      (typeof route.costMicros[resolution] !== 'object' ||
        (getCostMicros(route, resolution, quality) ?? limit + 1n) <= limit),
  );
}

function chooseDefault(amounts: Amounts[Resolution]): Quality | null {
  if (typeof amounts !== 'object') {
    return null;
  }
  const priced = QUALITIES.filter((quality) => amounts[quality] !== undefined);
  const [cheapest = null] = [...priced].sort((a, b) => Number((amounts[a] ?? 0n) - (amounts[b] ?? 0n)));
  return priced.includes('medium') ? 'medium' : cheapest;
}
