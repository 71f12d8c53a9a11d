import { buildShapeFields, parseSize } from '../compute-size.js';
import { foldPrompt, toDataUrl } from '../http/encode-json.js';
import { mergeFields } from '../merge-fields.js';
import type { InputImage, ProviderRequest } from '../port.js';
import { getFormat, writeFields } from '../write-fields.js';

/** Submission to the queue; its body contains images as `Embedded`. */
export interface FalRequest {
  /** With the endpoint of edits when there are input images. */
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
}

// Known fields of fal's own nano-banana endpoints; other models get fields from the options of their route.
const NANO_BANANA = /^fal-ai\/nano-banana(-|\/|$)/;
const NANO_BANANA_FIELDS = {
  // Otherwise "draw three foxes" may be answered, and billed, with three images.
  limit_generations: true,
  // fal's own default, from "1" (strict) to "6".
  safety_tolerance: '4',
};

/** Builds the request for fal. The white part of the mask is drawn anew; the option `mask_field` names the field for it. */
export function buildRequest(request: ProviderRequest, mask?: InputImage): FalRequest {
  const { model, inputs, slots, fields } = request;
  const { mask_field: maskField = 'mask_url', ...options } = request.options;
  const isEdit = inputs.length > 0;
  return {
    model: isEdit && !model.endsWith('/edit') ? `${model}/edit` : model,
    body: mergeFields({
      defaults: {
        output_format: getFormat(request),
        ...(NANO_BANANA.test(model) && NANO_BANANA_FIELDS),
        ...writeFields(fields),
      },
      options,
      asked: {
        ...buildShapeFields(request, (size) => ({ image_size: parseSize(size) })),
        num_images: slots.length,
      },
      content: {
        prompt: foldPrompt(request),
        image_urls: isEdit ? inputs.map(toDataUrl) : undefined,
        ...(mask && { [String(maskField)]: toDataUrl(mask) }),
      },
    }),
  };
}
