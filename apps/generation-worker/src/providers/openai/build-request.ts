import { type LandscapeSizes, NATIVE_SIZES, OPENAI_SIZES } from '@image-gateway/shared/contract';
import { type ImageField, parseImageField } from '@image-gateway/shared/upstreams';
import { computeSize, parseSize } from '../compute-size.js';
import { foldPrompt, toDataUrl } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { getFormat, writeFields } from '../write-fields.js';

/** Fields that a server of this protocol understands: OpenAI's own, or those of servers like vLLM-Omni, SGLang and LocalAI. */
export type OpenaiDialect = 'openai' | 'compatible';

/** Request of OpenAI's protocol, before it is encoded as JSON or as a form. */
export interface OpenaiRequest {
  readonly path: string;
  /** Contains images as `Embedded` where the server takes them in JSON. */
  readonly fields: JsonRecord;
  /** Images of a form; empty for JSON. */
  readonly files: readonly InputImage[];
  readonly mask: InputImage | undefined;
  /** Name of each file in the form. */
  readonly fileField: string;
}

const OPENAI_MODELS = /^(gpt-image|chatgpt-image|dall-e)/;
const SIZES: Readonly<Record<OpenaiDialect, LandscapeSizes>> = {
  openai: OPENAI_SIZES,
  compatible: NATIVE_SIZES,
};
// Options of a route may not change the images of the request.
const RESERVED_OPTIONS = { image: undefined, 'image[]': undefined, images: undefined };
const DRAW = '/images/generations';
/** Fields that ask a vendor of this protocol to keep no prompts and images, by the host of its address (docs/providers/retention.md). */
const KEEP_NOTHING: Readonly<Record<string, JsonRecord>> = { 'external.api.recraft.ai': { zdr: true } };

/**
 * Returns the dialect of a request: the option `dialect` of its route, else OpenAI's for OpenAI's models, else that of the
 * configured address.
 */
export function getDialect(
  addressDialect: OpenaiDialect,
  { model, options: { dialect } }: Pick<ProviderRequest, 'model' | 'options'>,
): OpenaiDialect {
  if (dialect === 'openai' || dialect === 'compatible') {
    return dialect;
  }
  return OPENAI_MODELS.test(model) ? 'openai' : addressDialect;
}

/**
 * Builds the request in a dialect. Options of the route say how a server differs: `edit_model`, `edit_path`, `image_field`,
 * `image_format` and `shape`.
 */
export function buildRequest(
  request: ProviderRequest,
  dialect: OpenaiDialect,
  host: string | null = null,
): OpenaiRequest {
  const { slots, inputs, options, fields } = request;
  const {
    edit_path: editPath = '/images/edits',
    image_format: format = 'form',
    image_field: given,
  } = options;
  const isEdit = inputs.length > 0;
  const isForm = format === 'form';
  const fallback: ImageField = { name: 'image', isList: dialect === 'openai' };
  const field = parseImageField(given) ?? fallback;
  return {
    path: isEdit ? String(editPath) : DRAW,
    fields: mergeFields({
      defaults: {
        ...(dialect === 'openai' ? buildOpenaiDefaults(request) : { response_format: 'b64_json' }),
        ...writeFields(fields),
        ...(host !== null && KEEP_NOTHING[host]),
      },
      options,
      asked: { ...buildShape(request, dialect), n: slots.length },
      content: {
        model: chooseModel(request),
        ...buildPrompt(request, dialect),
        ...RESERVED_OPTIONS,
        ...(isEdit && !isForm && embedImages(request, field)),
      },
    }),
    files: isForm ? inputs : [],
    mask: fields.mask,
    fileField: field.isList ? `${field.name}[]` : field.name,
  };
}

function buildShape(request: ProviderRequest, dialect: OpenaiDialect): JsonRecord {
  const size = request.size ?? computeSize(SIZES[dialect], request).join('x');
  switch (request.options.shape) {
    case 'pixels':
      return { ...parseSize(size) };
    case 'ratio':
      return {
        aspect_ratio: request.aspectRatio,
        ...(request.takesResolution && { resolution: request.resolution }),
      };
    default:
      return { size };
  }
}

function embedImages({ inputs, fields, options }: ProviderRequest, { name, isList }: ImageField): JsonRecord {
  const embed = (image: InputImage): unknown =>
    options.image_format === 'url_object' ? { url: toDataUrl(image) } : toDataUrl(image);
  const images = inputs.map(embed);
  return { [name]: isList ? images : images[0], ...(fields.mask && { mask: embed(fields.mask) }) };
}

function buildOpenaiDefaults(request: ProviderRequest): JsonRecord {
  return { quality: 'medium', output_format: getFormat(request), user: request.endUser };
}

function buildPrompt(request: ProviderRequest, dialect: OpenaiDialect): JsonRecord {
  const { prompt, negativePrompt } = request;
  // Servers of this protocol have a field for it.
  if (dialect === 'compatible' && negativePrompt !== null) {
    return { prompt, negative_prompt: negativePrompt };
  }
  return { prompt: foldPrompt(request) };
}
