import { ProviderError } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import {
  explainRefusal,
  getFailureByStatus,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
} from '../http/error-response.js';
import { readDetail } from '../http/read-detail.js';
import type { ProviderKey } from '../port.js';

const UNPROCESSABLE = 422;
const CUSTOMER_FIELD = /^(prompt|input_image)/;
const MODERATED = /\bmoderat(ed|ion)\b/i;
const NO_CREDITS = /\binsufficient credits?\b/i;

/** Converts a response that is no success: FastAPI's, with a text or a list of invalid fields. */
export function toProviderError(
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const { text, field } = readDetail(json?.value);
  const general = explainRefusal(getFailureByStatus(status, text), field);
  const isCustomers = status === UNPROCESSABLE && CUSTOMER_FIELD.test(field);
  const failure = MODERATED.test(text)
    ? 'moderation'
    : NO_CREDITS.test(text)
      ? 'billing'
      : isCustomers
        ? 'invalid-input'
        : general;
  return new ProviderError(failure, `BFL answered ${status}: ${quoteUpstream(text, key)}`, {
    retryAfterMs: parseRetryAfter(headers),
    field: readRefusedField(failure, field, text),
  });
}
