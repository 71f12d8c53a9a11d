import { ProviderError } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import {
  explainRefusal,
  getFailureByStatus,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
} from '../http/error-response.js';
import { asRecord, asRecords, asText } from '../http/json-decoder.js';
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
  const { detail } = asRecord(json?.value) ?? {};
  const [invalid] = asRecords(detail);
  const text = asText(detail) || asText(invalid?.msg);
  const location: readonly unknown[] = Array.isArray(invalid?.loc) ? invalid.loc : [];
  const field = location.findLast((part): part is string => typeof part === 'string' && part !== 'body');
  const general = explainRefusal(getFailureByStatus(status, text), field);
  const isCustomers = status === UNPROCESSABLE && CUSTOMER_FIELD.test(field ?? '');
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
