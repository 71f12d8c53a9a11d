import type { CatalogModel } from '@image-gateway/shared/catalog/document';
import { RESOLUTIONS } from '@image-gateway/shared/contract';
import { formatDollars } from '@image-gateway/shared/money';

/** Presents a model as the API lists it. */
export function presentModel({ id, name, family, types, priceMicros, ...model }: CatalogModel) {
  return {
    id,
    name,
    ...(family !== null && { family }),
    types,
    price: Object.fromEntries(
      RESOLUTIONS.flatMap((resolution) => {
        const micros = priceMicros[resolution];
        return micros === undefined ? [] : [[resolution, formatDollars(micros)]];
      }),
    ),
    aspect_ratios: model.aspectRatios,
    max_inputs: model.maxInputs,
    max_outputs: model.maxOutputs,
  };
}
