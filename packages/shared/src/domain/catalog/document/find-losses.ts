import { formatDollars } from '../../money/index.js';
import type { Catalog, CatalogModel } from './catalog.js';
import type { CatalogFault } from './catalog-fault.js';
import { getCostMicros, getPriceMicros, listOffers } from './prices.js';

/** Returns true for a provider that only draws test images, whose costs are no costs of a model. */
export function isSandbox({ instances }: Pick<Catalog, 'instances'>, provider: string): boolean {
  return provider === 'sandbox' || instances.get(provider)?.protocol === 'sandbox';
}

/** Image that a model sells: its resolution, with its quality at a price by quality. */
type Offer = ReturnType<typeof listOffers>[number] & { readonly model: CatalogModel };

/**
 * Finds the cheapest route of an offer with its cost in micro-dollars; null without one. `usable` says which providers are in
 * use. Where routes of one's own have none, all of them are compared. Free routes count, a sandbox does not.
 */
export function findCheapestCost(
  catalog: Pick<Catalog, 'instances'>,
  { model, resolution, quality }: Offer,
  usable: (provider: string) => boolean,
): { readonly name: string; readonly cost: bigint } | null {
  const routes = model.routes.filter(({ provider }) => !isSandbox(catalog, provider));
  const used = routes.filter(({ provider }) => usable(provider));
  const [cheapest] = (used.length > 0 || model.hasBuiltInRoutes ? used : routes)
    .flatMap((route) => {
      const cost = getCostMicros(route, resolution, quality);
      return cost === undefined ? [] : [{ name: `${route.provider} ${route.model}`, cost }];
    })
    .sort((a, b) => Number(a.cost - b.cost));
  return cheapest ?? null;
}

/** Returns a warning for each price below the cheapest cost. */
export function findLosses(catalog: Catalog, usable: (provider: string) => boolean): CatalogFault[] {
  const offers = [...catalog.models.values()].flatMap((model) =>
    listOffers(model).map((offer) => ({ model, ...offer })),
  );
  return offers.flatMap((offer) => {
    const { model, resolution, quality } = offer;
    const price = getPriceMicros(model, resolution, quality);
    const cheapest = findCheapestCost(catalog, offer, usable);
    if (price === undefined || cheapest === null || price >= cheapest.cost) {
      return [];
    }
    return [
      {
        path: ['models', model.id, 'price', resolution, ...(quality === null ? [] : [quality])].join('.'),
        message:
          `sold below cost: ${formatDollars(price)} an image, ` +
          `the cheapest route (${cheapest.name}) costs ${formatDollars(cheapest.cost)}`,
      },
    ];
  });
}
