import { buildShapeFields, parseSize } from '../compute-size.js';
import { foldPrompt, toDataUrl } from '../http/encode-json.js';
import { mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';

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

/** Builds the request for fal. */
export function buildRequest(request: ProviderRequest): FalRequest {
  const { model, prompt, negativePrompt, resolution, inputs, slots, options } = request;
  const isEdit = inputs.length > 0;
  return {
    model: isEdit && !model.endsWith('/edit') ? `${model}/edit` : model,
    body: mergeFields({
      defaults: {
        // A PNG of 4k can exceed the download limit.
        output_format: resolution === '4k' ? 'jpeg' : 'png',
        ...(NANO_BANANA.test(model) && NANO_BANANA_FIELDS),
      },
      options,
      asked: {
        ...buildShapeFields(request, (size) => ({ image_size: parseSize(size) })),
        num_images: slots.length,
      },
      content: {
        prompt: foldPrompt(prompt, negativePrompt),
        image_urls: isEdit ? inputs.map(toDataUrl) : undefined,
      },
    }),
  };
}
