import { QUALITIES } from '@image-gateway/shared/contract';
import type { JobImages } from '../deliver-images.js';
import { ANY, COUNT, entries, loose, needed, readLoosely, readShape, TEXT } from '../http/read-shape.js';
import type { ProviderKey, TokenUsage } from '../port.js';
import { toEntryError } from './to-provider-error.js';

const imagesSchema = needed({
  data: entries(needed({ b64_json: TEXT, url: TEXT, revised_prompt: ANY, error: ANY })),
  quality: ANY,
});
const usageSchema = loose({
  usage: loose({
    input_tokens: COUNT,
    output_tokens: COUNT,
    input_tokens_details: loose({ image_tokens: COUNT }),
    output_tokens_details: loose({ text_tokens: COUNT }),
  }),
});

/** Server that has answered, and its id of the request. */
export interface ResponseOrigin {
  readonly baseUrl: string;
  readonly key: ProviderKey | null;
  readonly upstreamId?: string | undefined;
}

/**
 * Parses the images of a successful response in order, each as base64 or URL, or the error in its place. It also reads what is
 * said about them. URLs without a host belong to the server at `baseUrl`. Throws `bad-response` without a list.
 */
export function parseResponse(
  value: unknown,
  { baseUrl, key, upstreamId }: ResponseOrigin,
): Omit<JobImages, 'json'> {
  const { data, quality } = readShape(imagesSchema, value, { upstream: 'OpenAI', upstreamId });
  // `auto` says nothing.
  const drawn = QUALITIES.find((one) => one === quality);
  const images = data
    .map(({ error, ...item }) => ({
      url: item.b64_json || toAbsolute(item.url, baseUrl),
      prompt: item.revised_prompt,
      error: error == null ? null : toEntryError(error, { key, upstreamId }),
    }))
    .filter(({ url, error }) => url !== '' || error !== null);
  return {
    urls: images.map(({ url }) => url),
    said: images.map(({ prompt }) => ({ quality: drawn, revisedPrompt: prompt })),
    errors: images.map(({ url, error }) => (url === '' ? error : null)),
  };
}

/** Returns the tokens of a response; what is not told apart is text on the way in, and an image on the way out. */
export function readUsage(value: unknown): TokenUsage {
  const { usage } = readLoosely(usageSchema, value);
  const imageIn = usage.input_tokens_details.image_tokens;
  const textOut = usage.output_tokens_details.text_tokens;
  return {
    imageIn,
    textIn: Math.max(0, usage.input_tokens - imageIn),
    textOut,
    imageOut: Math.max(0, usage.output_tokens - textOut),
  };
}

function toAbsolute(url: string, baseUrl: string): string {
  return url.startsWith('/') && URL.canParse(url, baseUrl) ? new URL(url, baseUrl).href : url;
}
