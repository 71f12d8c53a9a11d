import type { LandscapeSizes } from '@image-gateway/shared/contract';
import { type BflFamily, getBflFamily, readBflImageField } from '@image-gateway/shared/upstreams';
import { computeSize, parseSize } from '../compute-size.js';
import { ProviderError } from '../failures.js';
import { foldPrompt, toBase64 } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { switchRewriting } from '../switch-rewriting.js';
import { getFormat } from '../write-fields.js';

// At most four megapixels: there is no 4k.
const SIZES: LandscapeSizes = { '1k': [1376, 768], '2k': [2624, 1472], '4k': [2624, 1472] };
// At most 1440 a side: there is no 2k either.
const SMALL_SIZES: LandscapeSizes = { '1k': [1376, 768], '2k': [1440, 800], '4k': [1440, 800] };

/**
 * Builds a submission, which contains images as `Embedded`; of the mask, the white part is drawn anew. Options of the route are
 * fields of the body; `shape` is `pixels` or `ratio`.
 */
export function buildRequest(
  request: ProviderRequest,
  mask?: InputImage,
): { readonly path: string; readonly body: JsonRecord } {
  const { fields, options } = request;
  const model = chooseModel(request);
  return {
    path: `/${encodeURIComponent(model)}`,
    body: mergeFields({
      defaults: {
        output_format: getFormat(request),
        seed: fields.seed,
        ...switchRewriting('bfl', model, options),
      },
      options,
      asked: buildShape(request, getBflFamily(model)),
      content: { prompt: foldPrompt(request), ...buildImages(request, model, mask) },
    }),
  };
}

function buildShape(request: ProviderRequest, { shape: usual, step }: BflFamily): JsonRecord {
  const { options, aspectRatio } = request;
  const { shape = usual } = options;
  if (shape === 'none') {
    return {};
  }
  if (shape === 'ratio') {
    return { aspect_ratio: aspectRatio };
  }
  const sizes = step === 32 ? SMALL_SIZES : SIZES;
  return { ...parseSize(request.size ?? computeSize(sizes, request, step).join('x')) };
}

/** BFL drops unknown fields without a word: an edit of a model without a known field would ignore the customer's images. */
function buildImages(
  { inputs, options }: ProviderRequest,
  model: string,
  mask: InputImage | undefined,
): JsonRecord {
  if (inputs.length === 0) {
    return {};
  }
  const field = readBflImageField(model, options);
  if (field === null) {
    throw new ProviderError('config-drift', `the route of ${model} names no field for input images`);
  }
  if (getBflFamily(model).shape === 'none' && mask === undefined) {
    throw new ProviderError('config-drift', `${model} edits with a mask only`);
  }
  const images = inputs.map(({ bytes }) => toBase64(bytes));
  const named = images.map((image, index) => [
    index === 0 ? field.name : `${field.name}_${index + 1}`,
    image,
  ]);
  return {
    ...(field.isList ? { [field.name]: images } : Object.fromEntries(named)),
    ...(mask && { mask: toBase64(mask.bytes) }),
  };
}
