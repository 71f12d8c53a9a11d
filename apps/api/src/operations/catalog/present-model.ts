import {
  type CatalogModel,
  getPriceMicros,
  listQualities,
  listResolutions,
} from '@image-gateway/shared/catalog/document';
import { BACKGROUNDS, OUTPUT_FORMATS, QUALITIES } from '@image-gateway/shared/contract';
import { formatDollars } from '@image-gateway/shared/money';
import { presentAmounts } from './present-amounts.js';

/** Presents a model as the API lists it. */
export function presentModel(model: CatalogModel) {
  const byQuality = Object.entries(model.priceMicros).filter(([, price]) => typeof price === 'object');
  return {
    id: model.id,
    name: model.name,
    ...(model.family !== null && { family: model.family }),
    types: model.types,
    price: presentDefaultPrices(model),
    ...(byQuality.length > 0 && { prices: presentAmounts(Object.fromEntries(byQuality)) }),
    aspect_ratios: model.aspectRatios,
    max_inputs: model.maxInputs,
    max_outputs: model.maxOutputs,
    accepts: presentAccepts(model),
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

/** Presents the values that some route of a model takes; fields that none takes are left out. */
function presentAccepts(model: CatalogModel) {
  const all = model.routes.map(({ accepts }) => accepts);
  const sold = listResolutions(model).flatMap((resolution) => listQualities(model, resolution));
  const quality = QUALITIES.filter((one) => sold.includes(one));
  const seeds = all.flatMap(({ seed }) => (seed === null ? [] : [seed]));
  const formats = OUTPUT_FORMATS.filter((one) => all.some(({ outputFormat }) => outputFormat.includes(one)));
  const backgrounds = BACKGROUNDS.filter((one) => all.some(({ background }) => background.includes(one)));
  return {
    ...(quality.length > 0 && { quality }),
    ...(seeds.length > 0 && { seed: Math.max(...seeds) }),
    ...(formats.length > 0 && { output_format: formats }),
    background: backgrounds,
    ...(all.some(({ mask }) => mask) && { mask: true }),
  };
}
