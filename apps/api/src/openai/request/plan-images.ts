import type { CatalogModel } from '@image-gateway/shared/catalog/document';
import type { Preferences, TaskRequest } from '@image-gateway/shared/contract';
import { PREFERENCE_NAMES } from '@image-gateway/shared/task';
import type { Offer } from '../../catalog/create-offers.js';
import { FieldError, invalidField } from '../../file/uploads/field-error.js';
import type { ImageSize } from '../../file/uploads/find-image-size.js';
import { chooseSize } from './choose-size.js';
import { type ImageFields, joinMetadata } from './read-image-fields.js';

/** Images of a request, by their entries. */
export interface PlannedImages {
  readonly imageUrls: readonly string[];
  /** Of the first image; null where the gateway does not know it. */
  readonly firstSize: ImageSize | null;
  readonly mask?: string;
}

/** Turns a request into one of `/v1/generate`, by the models on offer. Throws FieldError for what no route can do. */
export function planImages(
  offer: Offer,
  fields: ImageFields,
  { imageUrls, firstSize, mask }: PlannedImages,
): TaskRequest {
  const model = resolveModel(offer, fields.model);
  const type = imageUrls.length > 0 ? 'image_edit' : 'image_generate';
  if (!model.types.includes(type)) {
    const kind = type === 'image_edit' ? 'edits no images' : 'only edits images: use /openai/v1/images/edits';
    throw invalidField('model', `The model ${model.id} ${kind}.`);
  }
  if (imageUrls.length > model.maxInputs) {
    throw invalidField('image', `The model ${model.id} takes at most ${model.maxInputs} input images.`);
  }
  if (mask !== undefined && type !== 'image_edit') {
    throw invalidField('mask', 'mask needs the image that it is for.');
  }
  const task = { type, inputs: imageUrls.length, firstSize, mask: mask !== undefined } as const;
  const size = chooseSize(model, fields, task);
  const { aspectRatio, resolution, quality, shapeRatios } = size;
  const preferences = readPreferences(fields, quality === null ? [] : ['quality']);
  const metadata = joinMetadata(fields);
  return {
    model: model.id,
    prompt: fields.prompt,
    aspect_ratio: aspectRatio,
    num_outputs: fields.n,
    resolution,
    ...(fields.negative_prompt !== undefined && { negative_prompt: fields.negative_prompt }),
    ...(imageUrls.length > 0 && { image_urls: imageUrls }),
    ...(mask !== undefined && { mask }),
    ...(shapeRatios && { shape_ratios: shapeRatios }),
    ...(quality !== null && { quality }),
    ...(fields.background && { background: fields.background }),
    ...(fields.webhook_url !== undefined && { webhook_url: fields.webhook_url }),
    ...(preferences && { wishes: preferences }),
    ...(metadata && { metadata }),
  };
}

/** Returns the preferences of a request that are no requirements of it; null where there are none. */
function readPreferences(fields: ImageFields, required: readonly string[]): Preferences | null {
  const preferred = PREFERENCE_NAMES.filter((name) => fields[name] !== undefined && !required.includes(name));
  const preferences: Preferences = {
    ...Object.fromEntries(preferred.map((name) => [name, fields[name]])),
    ...(fields.background === null && { background: null }),
  };
  return Object.keys(preferences).length > 0 ? preferences : null;
}

/** Finds a model on offer by its id or an alias; without a name the default one. */
export function resolveModel({ models, defaultModel }: Offer, name = defaultModel): CatalogModel {
  const model = models.find(({ id }) => id === name) ?? models.find(({ aliases }) => aliases.includes(name));
  if (!model) {
    throw new FieldError('VALIDATION_ERROR', {
      param: 'model',
      reason: 'model_not_found',
      publicMessage: 'There is no such model on offer. GET /openai/v1/models lists them.',
    });
  }
  return model;
}
