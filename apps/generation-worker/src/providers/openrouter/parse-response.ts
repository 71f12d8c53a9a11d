import { ANY, list, loose, needed, readLoosely, TEXT } from '../http/read-shape.js';

/** Content of a successful response. */
export interface OpenRouterContent {
  /** Images as base64 or as data URLs, in order. */
  readonly images: readonly string[];
  /** True when the model's content filter ended it. */
  readonly isFiltered: boolean;
  /** Reported cost in micro-dollars, or null. */
  readonly costMicros: bigint | null;
}

const chatImage = needed({ image_url: loose({ url: TEXT }) });
const responseSchema = loose({
  data: list(needed({ b64_json: TEXT })),
  choices: list(needed({ finish_reason: ANY, message: loose({ images: list(chatImage) }) })),
  usage: loose({ cost: ANY }),
});
const MICROS = 1_000_000;
const MAX_DOLLARS = 1_000;

/** Parses a successful response of `/images`, or one in the form of a chat, as some models return it. */
export function parseResponse(value: unknown): OpenRouterContent {
  const { data, choices, usage } = readLoosely(responseSchema, value);
  const [choice] = choices;
  const chatImages = choice?.message.images ?? [];
  const images = [...data.map((one) => one.b64_json), ...chatImages.map((one) => one.image_url.url)];
  return {
    images: images.filter((one) => one !== ''),
    isFiltered: choice?.finish_reason === 'content_filter',
    costMicros: toMicros(usage.cost),
  };
}

function toMicros(dollars: unknown): bigint | null {
  if (typeof dollars !== 'number' || !(dollars >= 0 && dollars <= MAX_DOLLARS)) {
    return null;
  }
  return BigInt(Math.round(dollars * MICROS));
}
