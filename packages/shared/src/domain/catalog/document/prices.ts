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

/** Quality that a request buys, null at a plain price, and the price of an image in micro-dollars. */
interface Purchase {
  readonly quality: Quality | null;
  readonly unitMicros: bigint;
}

/**
 * Finds what a request for a quality buys; undefined where it is not on offer. A request for none buys medium, else the cheapest. It is the
 * only judge of the quality of a request, for every door.
 */
export function findPurchase(
  { priceMicros }: Priced,
  resolution: Resolution,
  quality: Quality | null = null,
): Purchase | undefined {
  const price = priceMicros[resolution];
  const bought = quality ?? chooseDefault(price);
  const unitMicros = typeof price !== 'object' ? price : bought === null ? undefined : price[bought];
  if (unitMicros === undefined || (typeof price !== 'object' && quality !== null)) {
    return undefined;
  }
  return { quality: bought, unitMicros };
}

/** Returns the price of an image in micro-dollars; undefined where it is not on offer. Quality null is the default one. */
export function getPriceMicros(
  model: Priced,
  resolution: Resolution,
  quality: Quality | null,
): bigint | undefined {
  return findPurchase(model, resolution, quality)?.unitMicros;
}

/** Way in which a route draws what was bought. */
interface DrawnPurchase {
  /** Quality to ask for; null: that of the upstream, or the default that the adapter asks for by itself. */
  readonly quality: Quality | null;
  /** Qualities that a preference may choose at a plain price: none is dearer than what the price was made for. */
  readonly preferredQualities: readonly Quality[];
  /** Cost of an image in micro-dollars. */
  readonly costMicros: bigint;
}

/** Finds how a route draws what was bought, and at which cost. */
export function drawPurchase(
  route: Costed,
  resolution: Resolution,
  { quality, preferred }: { readonly quality: Quality | null; readonly preferred: Quality | null },
): DrawnPurchase {
  const drawn = getDrawnQuality(route, resolution);
  const preferredQualities = quality === null ? listPlainQualities(route, resolution) : [];
  const chosen = preferredQualities.find((one) => one === preferred) ?? null;
  return {
    quality: quality ?? (drawn === route.defaultQuality ? null : drawn),
    preferredQualities,
    costMicros: getCostMicros(route, resolution, chosen) ?? getCostMicros(route, resolution, quality) ?? 0n,
  };
}

/** Returns the quality that a route is asked for or draws by itself at a plain price; null where nobody knows it. */
function getDrawnQuality(
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
function listPlainQualities(route: Costed, resolution: Resolution): Quality[] {
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
