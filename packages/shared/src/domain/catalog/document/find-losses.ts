import { RESOLUTIONS } from '../../contract/index.js';
import { formatDollars } from '../../money/index.js';
import type { Catalog } from './catalog.js';
import type { CatalogFault } from './catalog-fault.js';

/** Returns a warning for each price below the cheapest cost. `usable` says which providers are in use; free routes count too. */
export function findLosses(catalog: Catalog, usable: (provider: string) => boolean): CatalogFault[] {
  return [...catalog.models.values()].flatMap(({ id, priceMicros, routes }) =>
    RESOLUTIONS.flatMap((resolution) => {
      const price = priceMicros[resolution];
      const [cheapest] = routes
        .filter((route) => usable(route.provider) && route.costMicros[resolution] !== undefined)
        .sort((a, b) => Number((a.costMicros[resolution] ?? 0n) - (b.costMicros[resolution] ?? 0n)));
      const cost = cheapest?.costMicros[resolution];
      if (price === undefined || cost === undefined || price >= cost) {
        return [];
      }
      return [
        {
          path: `models.${id}.price.${resolution}`,
          message: `sold below cost: ${formatDollars(price)} an image, the cheapest route (${cheapest?.provider} ${cheapest?.model}) costs ${formatDollars(cost)}`,
        },
      ];
    }),
  );
}
