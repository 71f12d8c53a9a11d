import {
  type CatalogModel,
  getPriceMicros,
  listQualities,
  listResolutions,
} from '@image-gateway/shared/catalog/document';
import {
  BACKGROUNDS,
  type FormField,
  OUTPUT_FORMATS,
  type PlaygroundModel,
  QUALITIES,
} from '@image-gateway/shared/contract';
import { formatDollars } from '@image-gateway/shared/money';
import { FORM_NAMES, TASK_FIELDS } from '@image-gateway/shared/task';
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

/** Describes the fields that a model takes by the schemas that its requests are checked against. */
export function presentForm(model: CatalogModel): PlaygroundModel['fields'] {
  const options = { models: [model], isAllowedImageUrl: () => true, isAllowedWebhookUrl: () => true };
  const fields = FORM_NAMES.flatMap((name) => {
    const schema = TASK_FIELDS[name].schema(options)['~standard'].jsonSchema.input({
      target: 'draft-2020-12',
    });
    const field = readField(schema as Partial<FormField>);
    return field && isTaken(field) ? [[name, field] as const] : [];
  });
  return Object.fromEntries(fields);
}

/** Null for a schema that no value fits, and for what is neither a text nor an integer. */
function readField(schema: Partial<FormField> & { readonly pattern?: string }): FormField | null {
  const { type, enum: choices, minimum, maximum, maxLength, default: preset } = schema;
  if ((type !== 'string' && type !== 'integer') || schema.pattern === '(?!)') {
    return null;
  }
  return {
    type,
    ...(choices !== undefined && { enum: choices }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(preset !== undefined && { default: preset }),
  };
}

/** False where there is nothing to choose: `auto` is what an absent field means. */
function isTaken({ enum: choices, minimum = 0, maximum = minimum }: FormField): boolean {
  return maximum >= minimum && choices?.every((choice) => choice === 'auto') !== true;
}
