import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import {
  explainRefusal,
  getFailureByStatus,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
} from '../http/error-response.js';
import { readDetail } from '../http/read-detail.js';
import { loose, readLoosely, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

const bodySchema = loose({ error: TEXT, errors: TEXT });
// modules/api/api.py of AUTOMATIC1111 and SD.Next; the first match counts.
const FAILURES_BY_TEXT: readonly (readonly [RegExp, ProviderFailure])[] = [
  [/\b(unknown checkpoint|checkpoint \S+ not found)\b/i, 'model-gone'],
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
  const general = status === NOT_FOUND ? 'config-drift' : getFailureByStatus(status, text);
  const failure = known ?? explainRefusal(general, field);
  return new ProviderError(failure, `the web UI answered ${status}: ${quoteUpstream(text, key)}`, {
    retryAfterMs: parseRetryAfter(headers),
    field: readRefusedField(failure, field, text),
  });
}
