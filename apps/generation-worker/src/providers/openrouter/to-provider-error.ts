import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import {
  findFieldInText,
  judgeResponse,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
} from '../http/error-response.js';
import { ANY, list, loose, NUMBER, needed, nullable, readLoosely, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

/** Error of OpenRouter in any of its forms. */
export interface OpenRouterErrorDetails {
  /** Code of `availability`, then the `error_type`: the more exact one comes first. */
  readonly keys: readonly string[];
  /** True when it has the fields of a moderation. */
  readonly isModerated: boolean;
  /** Status inside the error, which is the true one when the response has status 200. */
  readonly status: number | null;
  readonly message: string;
  /** True when an equal request may succeed, whatever the code says. */
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
}

/** Codes and types of OpenRouter's errors (its docs, "Errors and debugging"). */
const FAILURES_BY_KEY: Readonly<Record<string, ProviderFailure>> = {
  content_policy_violation: 'moderation',
  refusal: 'moderation',
  invalid_image: 'invalid-input',
  image_too_large: 'invalid-input',
  image_too_small: 'invalid-input',
  unsupported_image_format: 'invalid-input',
  payload_too_large: 'invalid-input',
  string_too_long: 'invalid-input',
  context_length_exceeded: 'invalid-input',
  image_download_failed: 'input-fetch',
  image_not_found: 'input-fetch',
  model_not_found: 'model-gone',
  no_endpoints: 'model-gone',
  model_deprecated: 'model-gone',
  model_unavailable_upstream: 'model-gone',
  free_variant_ended: 'model-gone',
  wrong_endpoint: 'config-drift',
  privacy_restricted: 'config-drift',
  constraint_filtered: 'config-drift',
  invalid_request: 'unexplained',
  unprocessable: 'unexplained',
  // It names the model that is not served here.
  region_restricted: 'no-access',
  authentication: 'auth',
  permission_denied: 'no-access',
  payment_required: 'billing',
  // A budget of the key, in tokens.
  token_limit_exceeded: 'billing',
  rate_limit_exceeded: 'rate-limit',
  capacity_exhausted: 'rate-limit',
  provider_overloaded: 'overload',
  temporarily_unavailable: 'overload',
  provider_unavailable: 'upstream-error',
  server: 'upstream-error',
  unmapped: 'upstream-error',
  timeout: 'timeout',
};

const errorSchema = nullable({
  code: NUMBER,
  http_status: NUMBER,
  message: TEXT,
  error_type: TEXT,
  metadata: loose({ error_type: TEXT, reasons: ANY, flagged_input: ANY, patterns: ANY }),
  availability: loose({ code: TEXT, retryable: ANY, retry_after: NUMBER }),
});
const bodySchema = loose({ error: errorSchema, choices: list(needed({ error: errorSchema })) });

const FORBIDDEN = 403;
// A 403 says only in its text what it is about, and has the type of a missing permission whatever that is. Guardrails look at
// prompts, and have budgets and lists of models too.
const FORBIDDEN_BY_TEXT: readonly (readonly [RegExp, ProviderFailure])[] = [
  [/\bbudget\b|\b(key|credit|spending) limit\b/i, 'billing'],
  [/\brequest blocked\b|moderat|flagged|content polic/i, 'moderation'],
];
const PAYLOAD_TOO_LARGE = 413;
const UNPROCESSABLE = 422;
const SECOND_MS = 1_000;

/** Response header with the id of the generation. */
export const GENERATION_ID = 'x-generation-id';

/** Converts a response that is no success. */
export function toProviderError(
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const details = parseErrorDetails(json?.value);
  const text = details?.message ?? '';
  const quoted = quoteUpstream(`${details?.keys.join(' ') ?? ''}: ${text}`, key);
  const message = `OpenRouter answered ${status} ${quoted}`;
  const failure = getFailure(status, details);
  return new ProviderError(failure, message, {
    field: readRefusedField(failure, findFieldInText(text), text),
    retryAfterMs: details?.retryAfterMs ?? parseRetryAfter(headers),
    upstreamId: headers[GENERATION_ID],
  });
}

/** Parses the error of a response: at its top, or in its first choice; null without one. */
export function parseErrorDetails(value: unknown): OpenRouterErrorDetails | null {
  const body = readLoosely(bodySchema, value);
  const error = body.error ?? body.choices[0]?.error;
  if (!error) {
    return null;
  }
  const { metadata, availability } = error;
  const { retry_after: seconds } = availability;
  return {
    keys: [availability.code, metadata.error_type, error.error_type],
    isModerated: [metadata.reasons, metadata.flagged_input, metadata.patterns].some((one) => one != null),
    status: error.code ?? error.http_status,
    message: error.message,
    isRetryable: availability.retryable === true,
    retryAfterMs: seconds === null ? undefined : seconds * SECOND_MS,
  };
}

/** Returns the failure of an error, in OpenRouter's order: moderation, text of a 403, availability, type, status. */
export function getFailure(status: number, details: OpenRouterErrorDetails | null): ProviderFailure {
  const errorStatus = status >= 400 ? status : (details?.status ?? status);
  const { message: text = '' } = details ?? {};
  const refusal = { text, field: findFieldInText(text) };
  if (details?.isModerated) {
    return 'moderation';
  }
  const said = FORBIDDEN_BY_TEXT.find(([pattern]) => pattern.test(text));
  if (errorStatus === FORBIDDEN && said) {
    return said[1];
  }
  for (const key of details?.keys ?? []) {
    const known = Object.hasOwn(FAILURES_BY_KEY, key) ? FAILURES_BY_KEY[key] : undefined;
    if (known !== undefined) {
      const isPassing = known === 'model-gone' && details?.isRetryable === true;
      // A type that says nothing leaves it to the text.
      return isPassing ? 'overload' : known === 'unexplained' ? judgeResponse(UNPROCESSABLE, refusal) : known;
    }
  }
  if (errorStatus === PAYLOAD_TOO_LARGE) {
    return 'invalid-input';
  }
  // Text of the upstream behind OpenRouter, passed on with the status of a gateway.
  if (errorStatus >= 500 && /overloaded/i.test(text)) {
    return 'overload';
  }
  return judgeResponse(errorStatus, refusal);
}
