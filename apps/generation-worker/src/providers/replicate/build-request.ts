import { readImageField } from '@image-gateway/shared/upstreams';
import { buildShapeFields, parseSize } from '../compute-size.js';
import { ProviderError } from '../failures.js';
import { type Embedded, foldPrompt } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';
import { switchRewriting } from '../switch-rewriting.js';
import { getFormat, writeFields } from '../write-fields.js';

/** Request that creates a prediction; its body contains images as `Embedded` or as URLs of uploads. */
export interface ReplicateRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

// Fields of certain models; other models may refuse them.
const FIELDS_BY_MODEL: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'google/nano-banana-pro': {
    // Otherwise a model of another maker answers while Google's is busy, and the response does not say so.
    allow_fallback_model: false,
    safety_filter_level: 'block_only_high',
  },
};

/** Builds the request for Replicate. The white part of the mask is drawn anew; the option `mask_field` names the field for it. */
export function buildRequest(
  request: Omit<ProviderRequest, 'inputs'>,
  images: readonly (Embedded | string)[],
  mask?: Embedded | string,
): ReplicateRequest {
  const { fields, options } = request;
  const { mask_field: maskField = 'mask' } = options;
  const model = chooseModel({ ...request, inputs: images });
  const input = mergeFields({
    defaults: {
      ...FIELDS_BY_MODEL[model],
      ...switchRewriting('replicate', model, options),
      ...writeFor(model, fields),
      output_format: nameFormat(model, request),
    },
    options,
    asked: buildShapeFields(request, parseSize),
    content: {
      prompt: foldPrompt(request),
      ...buildImages(request, images),
      ...(mask && { [String(maskField)]: mask }),
    },
  });
  // `owner/name:version` is a community model, `owner/name` one that Replicate runs itself.
  return model.includes(':')
    ? { path: '/predictions', body: { version: model, input } }
    : { path: `/models/${model}/predictions`, body: { input } };
}

/** OpenAI's models have its names of fields, others those of the first models there. */
const OPENAI = /^openai\//;

function nameFormat(model: string, request: Pick<ProviderRequest, 'resolution' | 'fields'>): string {
  const format = getFormat(request);
  return format === 'jpeg' && !OPENAI.test(model) ? 'jpg' : format;
}

function writeFor(model: string, fields: ProviderRequest['fields']): JsonRecord {
  const { output_compression: compression, ...rest } = writeFields(fields);
  return { ...rest, [OPENAI.test(model) ? 'output_compression' : 'output_quality']: compression };
}

/** Replicate drops unknown fields without a word: an edit of a model without a known field would ignore the customer's images. */
function buildImages(
  { model, options }: Pick<ProviderRequest, 'model' | 'options'>,
  images: readonly (Embedded | string)[],
): Readonly<Record<string, unknown>> {
  const field = readImageField(model, options);
  if (images.length === 0) {
    return field?.name === 'image_input' ? { image_input: images } : {};
  }
  if (field === null) {
    throw new ProviderError('config-drift', `the route of ${model} names no field for input images`);
  }
  return { [field.name]: field.isList ? images : images[0] };
}
