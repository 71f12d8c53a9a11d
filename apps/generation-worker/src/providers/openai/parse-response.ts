import { QUALITIES } from '@image-gateway/shared/contract';
import type { JobImages } from '../deliver-images.js';
import { asRecord, asRecords } from '../http/json-decoder.js';
import type { TokenUsage } from '../port.js';

/** Parses the images of a successful response, each as base64 or URL, in order, and what it says about them; null without a list. URLs without a host belong to the server at `baseUrl`. */
export function parseResponse(value: unknown, baseUrl: string): Omit<JobImages, 'json'> | null {
  const { data, quality } = asRecord(value) ?? {};
  if (!Array.isArray(data)) {
    return null;
  }
  const images = asRecords(data).flatMap(({ revised_prompt: revisedPrompt, ...item }) => {
    const url = readUrl(item, baseUrl);
    // `auto` says nothing.
    const drawn = QUALITIES.find((one) => one === quality);
    return url === null ? [] : [{ url, said: { quality: drawn, revisedPrompt } }];
  });
  return { urls: images.map(({ url }) => url), said: images.map(({ said }) => said) };
}

/** Returns the tokens of a response; what is not told apart is text on the way in, and an image on the way out. */
export function readUsage(value: unknown): TokenUsage {
  const usage = asRecord(asRecord(value)?.usage) ?? {};
  const imageIn = toCount(asRecord(usage.input_tokens_details)?.image_tokens);
  const textOut = toCount(asRecord(usage.output_tokens_details)?.text_tokens);
  return {
    imageIn,
    textIn: Math.max(0, toCount(usage.input_tokens) - imageIn),
    textOut,
    imageOut: Math.max(0, toCount(usage.output_tokens) - textOut),
  };
}

const toCount = (count: unknown): number => (typeof count === 'number' ? count : 0);

function readUrl(
  { b64_json: image, url }: Readonly<Record<string, unknown>>,
  baseUrl: string,
): string | null {
  if (typeof image === 'string' && image !== '') {
    return image;
  }
  if (typeof url !== 'string' || url === '') {
    return null;
  }
  return url.startsWith('/') && URL.canParse(url, baseUrl) ? new URL(url, baseUrl).href : url;
}
