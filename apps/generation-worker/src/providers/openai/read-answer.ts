import { asRecord } from '../record-of.js';
import { asRecords } from '../records-of.js';

/** Reads the pictures of a good answer, each as base64 or as an address, in order; null when it has no list of them. Addresses without a host are those of the server at `baseUrl`. */
export function readAnswer(value: unknown, baseUrl: string): readonly string[] | null {
  const { data } = asRecord(value) ?? {};
  if (!Array.isArray(data)) return null;
  return asRecords(data).flatMap(({ b64_json: picture, url }) => {
    if (typeof picture === 'string' && picture !== '') return [picture];
    if (typeof url !== 'string' || url === '') return [];
    return [url.startsWith('/') && URL.canParse(url, baseUrl) ? new URL(url, baseUrl).href : url];
  });
}
