import { asRecord, asRecords } from '../http/json-decoder.js';

/** Parses the images of a successful response, each as base64 or URL, in order; null without a list. URLs without a host belong to the server at `baseUrl`. */
export function parseResponse(value: unknown, baseUrl: string): readonly string[] | null {
  const { data } = asRecord(value) ?? {};
  if (!Array.isArray(data)) {
    return null;
  }
  return asRecords(data).flatMap(({ b64_json: image, url }) => {
    if (typeof image === 'string' && image !== '') {
      return [image];
    }
    if (typeof url !== 'string' || url === '') {
      return [];
    }
    return [url.startsWith('/') && URL.canParse(url, baseUrl) ? new URL(url, baseUrl).href : url];
  });
}
