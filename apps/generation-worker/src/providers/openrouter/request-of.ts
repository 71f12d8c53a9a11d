import { foldPrompt } from '../fold-prompt.js';
import { dataUrl } from '../http/embed.js';
import type { ProviderRequest } from '../port.js';

/** The body of `POST /images`; pictures stand in it as `Embedded`. */
export type OpenRouterBody = Readonly<Record<string, unknown>>;

/**
 * What is asked for, in OpenRouter's words. The options of the route stand in the body itself; they win over our own
 * values, never over the model, the prompt, the pictures and their number.
 */
export function requestOf(request: ProviderRequest): OpenRouterBody {
  const { model, prompt, negativePrompt, aspectRatio, resolution, takesResolution } = request;
  const { slots, inputs, options } = request;
  return {
    aspect_ratio: aspectRatio,
    ...(takesResolution && { resolution: resolution.toUpperCase() }),
    // A PNG of 4k as base64 can be larger than what an answer may be.
    output_format: resolution === '4k' ? 'jpeg' : 'png',
    ...options,
    model,
    prompt: foldPrompt(prompt, negativePrompt),
    n: slots.length,
    input_references:
      inputs.length === 0
        ? undefined
        : inputs.map((input) => ({ type: 'image_url', image_url: { url: dataUrl(input) } })),
  };
}
