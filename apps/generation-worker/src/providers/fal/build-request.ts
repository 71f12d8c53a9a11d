import { type ImageField, parseImageField } from '@image-gateway/shared/upstreams';
import { buildShapeFields, parseSize } from '../compute-size.js';
import { foldPrompt, toDataUrl } from '../http/encode-json.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { switchRewriting } from '../switch-rewriting.js';
import { getFormat, writeFields } from '../write-fields.js';

/** Submission to the queue; its body contains images as `Embedded`. */
export interface FalRequest {
  /** With the endpoint of edits when there are input images. */
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
}

// Known fields of all nano-banana endpoints (llms.txt of fal-ai/nano-banana-2, November 2026); other models get fields from the
// options of their route.
const NANO_BANANA = /^(fal-ai|google)\/nano-banana(-|\/|$)/;
const NANO_BANANA_FIELDS = {
  // Otherwise "draw three foxes" may be answered, and billed, with three images.
  limit_generations: true,
  // fal's own default, from "1" (strict) to "6".
  safety_tolerance: '4',
};

const IMAGE_URLS: ImageField = { name: 'image_urls', isList: true };

/**
 * Builds the request for fal. The options `edit_model` and `image_field` name another endpoint and field for edits,
 * `mask_field` the field of the mask, whose white part is drawn anew.
 */
export function buildRequest(request: ProviderRequest, mask?: InputImage): FalRequest {
  const { model, inputs, slots, fields } = request;
  const { options } = request;
  const { mask_field: maskField = 'mask_url', edit_model: other, image_field: given } = options;
  const isEdit = inputs.length > 0;
  const { name: imageField, isList } = parseImageField(given) ?? IMAGE_URLS;
  const urls = inputs.map(toDataUrl);
  const needsSuffix = isEdit && other === undefined && !model.endsWith('/edit');
  const called = needsSuffix ? `${model}/edit` : chooseModel(request);
  return {
    model: called,
    body: mergeFields({
      defaults: {
        output_format: getFormat(request),
        ...(NANO_BANANA.test(model) && NANO_BANANA_FIELDS),
        ...switchRewriting('fal', called, options),
        ...writeFields(fields),
      },
      options,
      asked: {
        ...buildShapeFields(request, (size) => ({ image_size: parseSize(size) })),
        num_images: slots.length,
      },
      content: {
        prompt: foldPrompt(request),
        image_urls: undefined,
        [imageField]: isEdit ? (isList ? urls : urls[0]) : undefined,
        ...(mask && { [String(maskField)]: toDataUrl(mask) }),
      },
    }),
  };
}
