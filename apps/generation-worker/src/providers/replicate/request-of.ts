import { foldPrompt } from '../fold-prompt.js';
import type { Embedded } from '../http/embed.js';
import type { ProviderRequest } from '../port.js';

/** What creates a prediction; pictures stand in its body as `Embedded` or as the addresses they were uploaded to. */
export interface ReplicateRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

// Fields that only some models know; a model that does not know a field may refuse it.
const FIELDS_OF_MODEL: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'google/nano-banana-pro': {
    // Otherwise another model, of another maker, answers when Google's is busy, and the answer does not say so.
    allow_fallback_model: false,
    safety_filter_level: 'block_only_high',
  },
};

/** What is asked for, in Replicate's words; the options win over our own values, but never over what the customer asked for. */
export function requestOf(
  request: Omit<ProviderRequest, 'inputs'>,
  pictures: readonly (Embedded | string)[],
): ReplicateRequest {
  const { model, prompt, negativePrompt, aspectRatio, resolution, takesResolution, options } = request;
  const input = {
    aspect_ratio: aspectRatio,
    ...(takesResolution && { resolution: resolution.toUpperCase() }),
    // A PNG of 4k can be larger than what is downloaded.
    output_format: resolution === '4k' ? 'jpg' : 'png',
    ...FIELDS_OF_MODEL[model],
    ...options,
    prompt: foldPrompt(prompt, negativePrompt),
    image_input: pictures,
  };
  // `owner/name:version` is a model of the community, `owner/name` one that Replicate runs itself.
  return model.includes(':')
    ? { path: '/predictions', body: { version: model, input } }
    : { path: `/models/${model}/predictions`, body: { input } };
}
