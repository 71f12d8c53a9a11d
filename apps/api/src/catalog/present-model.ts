import {
  type CatalogModel,
  getPriceMicros,
  listQualities,
  listResolutions,
} from '@image-gateway/shared/catalog/document';
import { formatDollars } from '@image-gateway/shared/money';
import { presentAmounts } from '@image-gateway/shared/presenters';
import { FORM_NAMES, REQUIREMENT_NAMES, TASK_FIELDS, toProperty } from '@image-gateway/shared/task';
import type { FormField, PlaygroundModel } from '@image-gateway/shared/task/schema';
import { listTakenValues, type OptionalField } from '@image-gateway/shared/upstreams';

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
function presentDefaultPrices(model: CatalogModel): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listResolutions(model).map((resolution) => [
      resolution,
      formatDollars(getPriceMicros(model, resolution, null) ?? 0n),
    ]),
  );
}

/**
 * Presents the values that some route of a model takes, of a number the greatest one. Fields that none takes are left out, and
 * qualities that are not sold.
 */
function presentAccepts(model: CatalogModel): Readonly<Record<string, unknown>> {
  const sold = listResolutions(model).flatMap((resolution) => listQualities(model, resolution));
  const accepted = REQUIREMENT_NAMES.flatMap((name) => {
    const { kind, usual }: OptionalField = TASK_FIELDS[name].requires;
    const taken = listTakenValues(name, model.routes).filter(
      (one) => name !== 'quality' || sold.some((q) => q === one),
    );
    const greatest = Math.max(
      -1,
      ...model.routes.map(({ accepts }) => Number(accepts[toProperty(name)] ?? -1)),
    );
    const shown = { values: taken, number: greatest, all: true }[kind];
    return taken.length > 0 || usual !== undefined ? [[name, shown] as const] : [];
  });
  return Object.fromEntries(accepted);
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
