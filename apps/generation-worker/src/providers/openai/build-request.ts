import { type LandscapeSizes, NATIVE_SIZES, OPENAI_SIZES } from '@image-gateway/shared/contract';
import { computeSize } from '../compute-size.js';
import { foldPrompt } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { mergeFields } from '../merge-fields.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { getFormat, writeFields } from '../write-fields.js';

/** Fields that a server of this protocol understands: OpenAI's own, or those of servers like vLLM-Omni, SGLang and LocalAI. */
export type OpenaiDialect = 'openai' | 'compatible';

/** Request of OpenAI's protocol, before it is encoded as JSON or as a form. */
export interface OpenaiRequest {
  readonly path: '/images/generations' | '/images/edits';
  readonly fields: Readonly<Record<string, unknown>>;
  /** Images to edit; empty exactly for `/images/generations`. */
  readonly files: readonly InputImage[];
  readonly mask: InputImage | undefined;
  /** Name of each file in the form. */
  readonly fileField: 'image' | 'image[]';
}

const OPENAI_MODELS = /^(gpt-image|chatgpt-image|dall-e)/;
const SIZES: Readonly<Record<OpenaiDialect, LandscapeSizes>> = {
  openai: OPENAI_SIZES,
  compatible: NATIVE_SIZES,
};
// Options of a route may change neither the dialect of the request nor its images.
const RESERVED_OPTIONS = { dialect: undefined, image: undefined, 'image[]': undefined, images: undefined };

/** Returns the dialect of a request: the option `dialect` of its route, else OpenAI's for OpenAI's models, else that of the configured address. */
export function getDialect(
  addressDialect: OpenaiDialect,
  { model, options: { dialect } }: Pick<ProviderRequest, 'model' | 'options'>,
): OpenaiDialect {
  if (dialect === 'openai' || dialect === 'compatible') {
    return dialect;
  }
  return OPENAI_MODELS.test(model) ? 'openai' : addressDialect;
}

/** Builds the request in a dialect. */
export function buildRequest(request: ProviderRequest, dialect: OpenaiDialect): OpenaiRequest {
  const { model, slots, inputs, options, fields } = request;
  const isEdit = inputs.length > 0;
  return {
    path: isEdit ? '/images/edits' : '/images/generations',
    fields: mergeFields({
      defaults: {
        ...(dialect === 'openai' ? buildOpenaiDefaults(request) : { response_format: 'b64_json' }),
        ...writeFields(fields),
      },
      options,
      asked: { size: request.size ?? computeSize(SIZES[dialect], request).join('x'), n: slots.length },
      content: {
        model,
        ...buildPrompt(request, dialect),
        ...RESERVED_OPTIONS,
        // OpenAI's form of edits does not have this field and would refuse it (openai-node 6.49.0, ImageEditParams).
        ...(dialect === 'openai' && isEdit && { moderation: undefined }),
      },
    }),
    files: inputs,
    mask: fields.mask,
    fileField: dialect === 'openai' ? 'image[]' : 'image',
  };
}

function buildOpenaiDefaults(request: ProviderRequest): JsonRecord {
  return { quality: 'medium', output_format: getFormat(request), moderation: 'auto' };
}

function buildPrompt(request: ProviderRequest, dialect: OpenaiDialect): JsonRecord {
  const { prompt, negativePrompt } = request;
  // Servers of this protocol have a field for it.
  if (dialect === 'compatible' && negativePrompt !== null) {
    return { prompt, negative_prompt: negativePrompt };
  }
  return { prompt: foldPrompt(request) };
}
