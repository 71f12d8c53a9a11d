import { QUALITIES } from '@image-gateway/shared/contract';
import type { JobImages } from '../deliver-images.js';
import { asRecord, asRecords } from '../http/json-decoder.js';

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
