import { type CatalogModel, getPriceMicros, listOffers } from '@image-gateway/shared/catalog/document';
import type { Quality, Resolution } from '@image-gateway/shared/contract';

/** An image that can be bought, and its price. */
interface ImagePrice {
  readonly model: string;
  readonly resolution: Resolution;
  readonly quality: Quality | null;
  readonly priceMicros: bigint;
}

/** Lists what an image of these models costs, the cheapest first. */
export function listImagePrices(models: readonly CatalogModel[]): readonly ImagePrice[] {
  return models
    .flatMap((model) =>
      listOffers(model).map(({ resolution, quality }) => ({
        model: model.id,
        resolution,
        quality,
        priceMicros: getPriceMicros(model, resolution, quality) ?? 0n,
      })),
    )
    .sort((a, b) => Number(a.priceMicros - b.priceMicros));
}
