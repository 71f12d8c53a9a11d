import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { judgeResponse, parseRetryAfter, quoteUpstream, readRefusedField } from '../http/error-response.js';
import { list, loose, needed, readLoosely, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

/** Error of a Google API (google.rpc.Status). */
export interface GeminiErrorDetails {
  /** Such as RESOURCE_EXHAUSTED; empty without one. */
  readonly status: string;
  readonly message: string;
  /** Reason of `ErrorInfo`, such as API_KEY_INVALID; empty without one. */
  readonly reason: string;
  /** Ids of the exhausted quotas. */
  readonly quotaIds: readonly string[];
  /** From `RetryInfo`, in milliseconds; no header contains it. */
  readonly retryAfterMs: number | undefined;
}

const detail = needed({ reason: TEXT, retryDelay: TEXT, violations: list(needed({ quotaId: TEXT })) });
const bodySchema = loose({ error: loose({ status: TEXT, message: TEXT, details: list(detail) }) });

interface Rule {
  readonly status: number;
  readonly matches?: (details: GeminiErrorDetails) => boolean;
  readonly failure: ProviderFailure;
}

const contains =
  (text: RegExp) =>
  ({ message }: GeminiErrorDetails): boolean =>
    text.test(message);

const isCondition =
  (text: RegExp) =>
  ({ status, message }: GeminiErrorDetails): boolean =>
    status === 'FAILED_PRECONDITION' && text.test(message);

/** Daily quotas, all of that kind. */
const isDailyQuota =
  (kind: RegExp) =>
  ({ quotaIds }: GeminiErrorDetails): boolean => {
    const daily = quotaIds.filter((id) => id.includes('PerDay'));
    return daily.length > 0 && daily.every((id) => kind.test(id));
  };

/** Errors whose status alone is too general (ai.google.dev, "Troubleshooting"); the first match counts. */
const RULES: readonly Rule[] = [
  // An invalid key is an invalid argument there.
  { status: 400, matches: ({ reason }) => reason.startsWith('API_KEY_'), failure: 'auth' },
  { status: 400, matches: contains(/user location is not supported/i), failure: 'geo' },
  { status: 400, matches: contains(/free tier is not available in your country/i), failure: 'geo' },
  // A condition is that of billing at the Gemini API (ai.google.dev, "Troubleshooting"), and any at Vertex, whose text says which.
  { status: 400, matches: isCondition(/\bbilling\b/i), failure: 'billing' },
  { status: 400, matches: isCondition(/being provisioned/i), failure: 'overload' },
  { status: 400, matches: isCondition(/\bmodels?\b|allowedModels/i), failure: 'no-access' },
  { status: 400, matches: isCondition(/(?:)/), failure: 'billing' },
  { status: 400, matches: contains(/input token count/i), failure: 'invalid-input' },
  { status: 400, matches: contains(/\bis not supported\b/i), failure: 'config-drift' },
  // The image has been decoded here before: this may be an error of Google.
  { status: 400, matches: contains(/unable to process input image/i), failure: 'doubtful-input' },
  { status: 400, matches: contains(/payload size exceeds/i), failure: 'invalid-input' },
  { status: 413, failure: 'invalid-input' },
  // An account without money has the status of a rate limit.
  {
    status: 429,
    matches: contains(/credits (are|have been) depleted|spending (cap|limit)/i),
    failure: 'billing',
  },
  { status: 429, matches: isDailyQuota(/PerModel/), failure: 'model-quota' },
  { status: 429, matches: isDailyQuota(/PerDay/), failure: 'quota' },
  { status: 429, matches: contains(/limit: 0\b.*\bmodel: /s), failure: 'model-quota' },
  { status: 429, matches: contains(/limit: 0\b/), failure: 'quota' },
  // From the edge in front of the API, without a text.
  { status: 502, failure: 'overload' },
];
/** Name of a field that is unknown, or whose value is refused. */
const FIELD = /(?:Unknown name "|Invalid value at '(?:[\w.]{0,200}\.)?)(\w{1,60})["']/;
const SECONDS = /^(\d{1,9}(?:\.\d{1,9})?)s$/;
const SECOND_MS = 1_000;
const MAX_STATUS_CHARACTERS = 40;

/** Converts a response that is no success. */
export function toProviderError(
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const details = parseErrorDetails(json?.value);
  const failure = getFailure(status, details);
  const isQuota = failure === 'quota' || failure === 'model-quota';
  const text = quoteUpstream(details.message, key);
  const code = details.status.slice(0, MAX_STATUS_CHARACTERS);
  // A daily quota says "in 12 seconds" too.
  const retryAfterMs = isQuota ? undefined : (details.retryAfterMs ?? parseRetryAfter(headers));
  return new ProviderError(failure, `Gemini answered ${status} ${code}: ${text}`, {
    retryAfterMs,
    field: readRefusedField(failure, readFieldName(details), details.message),
  });
}

/** Parses an error of any content. */
export function parseErrorDetails(value: unknown): GeminiErrorDetails {
  // Vertex wraps some errors in a list.
  const { error } = readLoosely(bodySchema, Array.isArray(value) ? value[0] : value);
  const { status, message, details } = error;
  const delay = details.flatMap(({ retryDelay }) => SECONDS.exec(retryDelay)?.[1] ?? [])[0];
  return {
    status,
    message,
    reason: details.find(({ reason }) => reason !== '')?.reason ?? '',
    quotaIds: details.flatMap(({ violations }) => violations.map(({ quotaId }) => quotaId)),
    retryAfterMs: delay === undefined ? undefined : Math.ceil(Number(delay) * SECOND_MS),
  };
}

/** Returns the failure of a response that is no success. */
export function getFailure(status: number, details: GeminiErrorDetails): ProviderFailure {
  const rule = RULES.find((one) => one.status === status && (one.matches?.(details) ?? true));
  return rule?.failure ?? judgeResponse(status, { text: details.message, field: readFieldName(details) });
}

function readFieldName({ message }: GeminiErrorDetails): string | undefined {
  return FIELD.exec(message)?.[1];
}
