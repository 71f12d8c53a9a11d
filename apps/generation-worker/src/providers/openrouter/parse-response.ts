import { asRecord, asRecords } from '../http/json-decoder.js';

/** Content of a successful response. */
export interface OpenRouterContent {
  /** Images as base64 or as data URLs, in order. */
  readonly images: readonly string[];
  /** True when the model's content filter ended it. */
  readonly isFiltered: boolean;
  /** Reported cost in micro-dollars, or null. */
  readonly costMicros: bigint | null;
}

const MICROS = 1_000_000;
const MAX_DOLLARS = 1_000;

/** Parses a successful response of `/images`, or one in the form of a chat, as some models return it. */
export function parseResponse(value: unknown): OpenRouterContent {
  const { data, choices, usage } = asRecord(value) ?? {};
  const choice = asRecords(choices)[0];
  const chatImages = asRecords(asRecord(choice?.message)?.images);
  const images = [
    ...asRecords(data).map(({ b64_json: image }) => image),
    ...chatImages.map(({ image_url: image }) => asRecord(image)?.url),
  ];
  return {
    images: images.filter((one): one is string => typeof one === 'string' && one !== ''),
    isFiltered: choice?.finish_reason === 'content_filter',
    costMicros: toMicros(asRecord(usage)?.cost),
  };
}

function toMicros(dollars: unknown): bigint | null {
  if (typeof dollars !== 'number' || !(dollars >= 0 && dollars <= MAX_DOLLARS)) {
    return null;
  }
  return BigInt(Math.round(dollars * MICROS));
}
