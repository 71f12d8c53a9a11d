import { asRecord } from '../record-of.js';
import { asRecords } from '../records-of.js';

/** What a good answer holds. */
export interface OpenRouterAnswer {
  /** Pictures as base64 or as data URLs, in order. */
  readonly pictures: readonly string[];
  /** Whether the model's content filter has ended it. */
  readonly filtered: boolean;
  /** What it cost, in micro-dollars; null when it does not say. */
  readonly costMicros: bigint | null;
}

const MICROS = 1_000_000;
const MAX_DOLLARS = 1_000;

/** Reads the pictures of an answer, whether `/images` gives it or it has the shape of a chat, as some models have behind it. */
export function readAnswer(value: unknown): OpenRouterAnswer {
  const { data, choices, usage } = asRecord(value) ?? {};
  const choice = asRecords(choices)[0];
  const images = asRecords(asRecord(choice?.message)?.images);
  const pictures = [
    ...asRecords(data).map(({ b64_json: picture }) => picture),
    ...images.map(({ image_url: image }) => asRecord(image)?.url),
  ];
  return {
    pictures: pictures.filter((one): one is string => typeof one === 'string' && one !== ''),
    filtered: choice?.finish_reason === 'content_filter',
    costMicros: microsOf(asRecord(usage)?.cost),
  };
}

function microsOf(dollars: unknown): bigint | null {
  if (typeof dollars !== 'number' || !(dollars >= 0 && dollars <= MAX_DOLLARS)) return null;
  return BigInt(Math.round(dollars * MICROS));
}
