import type { JobImages } from '../deliver-images.js';
import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { judgeResponse, parseRetryAfter, quoteUpstream, readRefusedField } from '../http/error-response.js';
import { readDetail } from '../http/read-detail.js';
import {
  ANY,
  COUNT,
  entries,
  list,
  loose,
  NEEDED_TEXT,
  needed,
  readLoosely,
  readShape,
  TEXT,
} from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

// `info` is JSON in a text.
const imagesSchema = needed({ images: entries(NEEDED_TEXT), info: TEXT });
const infoSchema = loose({
  all_seeds: list(ANY),
  index_of_first_image: COUNT,
  sd_model_name: TEXT,
  sd_model_hash: TEXT,
});

/**
 * Parses a response with status 200: images as base64, in order, and their seeds. Throws `bad-response` for another shape,
 * and `model-gone` for images of another checkpoint than the one asked for.
 */
export function parseResponse(value: unknown, checkpoint?: unknown): Omit<JobImages, 'json'> {
  const { images, info } = readShape(imagesSchema, value, { upstream: 'the web UI' });
  const facts = readLoosely(infoSchema, parseInfo(info));
  const { all_seeds: seeds, index_of_first_image: first } = facts;
  if (typeof checkpoint === 'string' && isOther(facts, checkpoint)) {
    const message = `the web UI does not have "${checkpoint}" and drew with "${quoteUpstream(facts.sd_model_name, null)}"`;
    throw new ProviderError('model-gone', message);
  }
  return { urls: images.slice(first), said: seeds.map((seed) => ({ seed })) };
}

/**
 * Returns true if another checkpoint drew. `process_images` keeps the loaded one, without an error, when it does not have what
 * is asked for.
 */
function isOther(
  {
    sd_model_name: name,
    sd_model_hash: hash,
  }: { readonly sd_model_name: string; readonly sd_model_hash: string },
  asked: string,
): boolean {
  // A checkpoint is asked for by its name, with folder, extension or hash, by a part of these, or by a hash alone
  // (`get_closet_checkpoint_match`).
  const part = asked.replace(/\s*\[[^\]]*\]\s*$|\.(safetensors|ckpt)\b.*$/g, '').replace(/^.*[\\/]/, '');
  const isNamed = asked.includes(name) || name.includes(part);
  return name !== '' && !isNamed && (hash === '' || !asked.includes(hash));
}

/** Parses the facts about the images; a broken text of facts costs no image. */
function parseInfo(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const bodySchema = loose({ error: TEXT, errors: TEXT });
// modules/api of AUTOMATIC1111, Forge and SD.Next; the first match counts.
const FAILURES_BY_TEXT: readonly (readonly [RegExp, ProviderFailure])[] = [
  [/\b(unknown checkpoint|(checkpoint|model)( \S+)? not found)\b/i, 'model-gone'],
  // 400 from Forge, 404 from the others; 422 for a script.
  [/\b(sampler|scheduler|upscaler|script|refiner|vae)\b.{0,100} not found\b/i, 'config-drift'],
  [/\b(invalid encoded image|cannot identify image file)\b/i, 'invalid-input'],
  [/\b(nsfw|content polic(y|ies)|safety (checker|filter))\b/i, 'moderation'],
];
// The path of the API, or a sampler or upscaler that the server does not have.
const NOT_FOUND = 404;

/** Converts a response that is no success. */
export function toProviderError(
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const { error, errors } = readLoosely(bodySchema, json?.value);
  const { text: detail, field } = readDetail(json?.value);
  const text = [error, detail, errors].filter((part) => part !== '').join(', ');
  const known = FAILURES_BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
  const failure = known ?? (status === NOT_FOUND ? 'config-drift' : judgeResponse(status, { text, field }));
  return new ProviderError(failure, `the web UI answered ${status}: ${quoteUpstream(text, key)}`, {
    retryAfterMs: parseRetryAfter(headers),
    field: readRefusedField(failure, field, text),
  });
}
