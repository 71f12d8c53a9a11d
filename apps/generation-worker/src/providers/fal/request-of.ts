import { foldPrompt } from '../fold-prompt.js';
import { dataUrl } from '../http/embed.js';
import type { ProviderRequest } from '../port.js';

/** A submission to the queue; pictures stand in its body as `Embedded`. */
export interface FalRequest {
  /** With the endpoint for edits where there is something to edit. */
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
}

// What only fal's own nano-banana endpoints are known to take; others get it from the options of their route.
const KNOWN = /^fal-ai\/nano-banana(-|\/|$)/;
const KNOWN_FIELDS = {
  // Otherwise "draw three foxes" may be answered, and billed, with three pictures.
  limit_generations: true,
  // fal's own default, from "1" (strict) to "6".
  safety_tolerance: '4',
};

/** What is asked for, in fal's words; the options win over our own values, but never over what the customer asked for. */
export function requestOf(request: ProviderRequest): FalRequest {
  const { model, prompt, negativePrompt, aspectRatio, resolution, takesResolution } = request;
  const { inputs, slots, options } = request;
  const edits = inputs.length > 0;
  return {
    model: edits && !model.endsWith('/edit') ? `${model}/edit` : model,
    body: {
      aspect_ratio: aspectRatio,
      ...(takesResolution && { resolution: resolution.toUpperCase() }),
      // A PNG of 4k can be larger than what is downloaded.
      output_format: resolution === '4k' ? 'jpeg' : 'png',
      ...(KNOWN.test(model) && KNOWN_FIELDS),
      ...options,
      prompt: foldPrompt(prompt, negativePrompt),
      num_images: slots.length,
      image_urls: edits ? inputs.map(dataUrl) : undefined,
    },
  };
}
