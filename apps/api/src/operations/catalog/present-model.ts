import { type CatalogModel, getPriceMicros, listResolutions } from '@image-gateway/shared/catalog/document';
import { formatDollars } from '@image-gateway/shared/money';

/** Presents a model as the API lists it. */
export function presentModel(model: CatalogModel) {
  return {
    id: model.id,
    name: model.name,
    ...(model.family !== null && { family: model.family }),
    types: model.types,
    price: presentDefaultPrices(model),
    aspect_ratios: model.aspectRatios,
    max_inputs: model.maxInputs,
    max_outputs: model.maxOutputs,
  };
}

/** Presents the price at each resolution of a request that names no quality. */
export function presentDefaultPrices(model: CatalogModel): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listResolutions(model).map((resolution) => [
      resolution,
      formatDollars(getPriceMicros(model, resolution, null) ?? 0n),
    ]),
  );
}
