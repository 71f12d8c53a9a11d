import type { LandscapeSizes } from '@image-gateway/shared/contract';
import { computeSize, parseSize } from '../compute-size.js';
import { foldPrompt, toBase64 } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';
import { switchRewriting } from '../switch-rewriting.js';
import { getFormat } from '../write-fields.js';

// At most four megapixels, in multiples of 16: there is no 4k.
const SIZES: LandscapeSizes = { '1k': [1376, 768], '2k': [2624, 1472], '4k': [2624, 1472] };
/** Models that take a ratio instead of pixels. */
const WITH_RATIO = /kontext|ultra/;

/** Builds a submission, which contains images as `Embedded`. Options of the route are fields of the body; `shape` is `pixels` or `ratio`. */
export function buildRequest(request: ProviderRequest): { readonly path: string; readonly body: JsonRecord } {
  const { inputs, fields, options, aspectRatio } = request;
  const model = chooseModel(request);
  const { shape = WITH_RATIO.test(model) ? 'ratio' : 'pixels' } = options;
  const size = request.size ?? computeSize(SIZES, request).join('x');
  return {
    path: `/${encodeURIComponent(model)}`,
    body: mergeFields({
      defaults: {
        output_format: getFormat(request),
        seed: fields.seed,
        ...switchRewriting('bfl', model, options),
      },
      options,
      asked: shape === 'ratio' ? { aspect_ratio: aspectRatio } : { ...parseSize(size) },
      content: {
        prompt: foldPrompt(request),
        ...Object.fromEntries(
          inputs.map(({ bytes }, index) => [
            index === 0 ? 'input_image' : `input_image_${index + 1}`,
            toBase64(bytes),
          ]),
        ),
      },
    }),
  };
}
