import { ANY, list, loose, needed, readLoosely, TEXT } from '../http/read-shape.js';
import { readCost } from '../read-cost.js';

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
  usage: loose({ cost: ANY, is_byok: ANY, cost_details: loose({ upstream_inference_cost: ANY }) }),
});
const MICROS = 1_000_000;

/** Parses a successful response of `/images`, or one in the form of a chat, as some models return it. */
export function parseResponse(value: unknown): OpenRouterContent {
  const { data, choices, usage } = readLoosely(responseSchema, value);
  const [choice] = choices;
  const chatImages = choice?.message.images ?? [];
  const images = [...data.map((one) => one.b64_json), ...chatImages.map((one) => one.image_url.url)];
  return {
    images: images.filter((one) => one !== ''),
    isFiltered: choice?.finish_reason === 'content_filter',
    costMicros: sumCosts(usage),
  };
}

/** Reads the cost. With a provider's key of one's own `cost` is OpenRouter's fee only, and the provider bills the rest. */
function sumCosts({
  cost,
  is_byok: isOwnKey,
  cost_details: details,
}: {
  readonly cost: unknown;
  readonly is_byok: unknown;
  readonly cost_details: { readonly upstream_inference_cost: unknown };
}): bigint | null {
  const charged = readCost(cost, MICROS);
  return isOwnKey === true && charged !== null
    ? charged + (readCost(details.upstream_inference_cost, MICROS) ?? 0n)
    : charged;
}
