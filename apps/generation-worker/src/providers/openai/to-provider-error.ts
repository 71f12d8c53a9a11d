import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import {
  findFieldInText,
  judgeResponse,
  judgeWords,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
  type Said,
} from '../http/error-response.js';
import { readDetail } from '../http/read-detail.js';
import { ANY, loose, nullable, readLoosely, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

/** Error of OpenAI, or of a server written with FastAPI; missing texts are empty. */
export interface OpenaiErrorDetails {
  readonly code: string;
  readonly type: string;
  /** Field that caused the error, from the text where it stands nowhere else. */
  readonly param: string;
  readonly message: string;
  /** Status that the error names itself, as FastAPI's servers and resellers do. */
  readonly status: number | undefined;
  /** From the text ("try again in 12s"), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

interface Rule {
  readonly field: 'code' | 'type' | 'param' | 'message';
  readonly pattern: RegExp;
  readonly failure: ProviderFailure;
}

const ERROR = { code: ANY, status: ANY, type: TEXT, param: TEXT, message: TEXT };
// Older servers have the fields of an error at the top, some only a sentence.
const bodySchema = loose({ ...ERROR, error: nullable(ERROR), data: ANY });
const sentenceSchema = loose({ error: TEXT });

const PAYLOAD_TOO_LARGE = 413;
const FORBIDDEN = 403;
/** Status that an error without one of its own has: that of a refusal. */
const REFUSED = 400;
const UNAUTHORIZED = 401;
/** Errors whose status alone is too general (OpenAI's docs, "Error codes"); the first match counts. */
const RULES: readonly Rule[] = [
  {
    field: 'code',
    pattern: /^(moderation_blocked|content_policy_violation|content_?filter)$/i,
    failure: 'moderation',
  },
  // Azure and xAI say it in their text only.
  {
    field: 'message',
    pattern: /\bsafety system\b|content moderation|content management polic/i,
    failure: 'moderation',
  },
  // ModelArk (docs.byteplus.com/en/docs/ModelArk/1299023): what its codes don't say by words that others use too.
  { field: 'code', pattern: /^ModelNotOpen$|ModelIDAccessDisabled$/, failure: 'no-access' },
  { field: 'code', pattern: /^InvalidEndpoint\.ClosedEndpoint$/, failure: 'model-gone' },
  { field: 'code', pattern: /^(QuotaExceeded|SetLimitExceeded)$/, failure: 'model-quota' },
  { field: 'code', pattern: /^ServerOverloaded$/, failure: 'overload' },
  { field: 'code', pattern: /^ContentSecurityDetectionError$/, failure: 'upstream-error' },
  {
    field: 'code',
    pattern: /^InvalidParameter\.(Oversized?Image|Unsupported(Image|Input)\w*)$|^InvalidImageURL/,
    failure: 'invalid-input',
  },
  // Zhipu (docs.bigmodel.cn/cn/api/api-code), whose texts are Chinese.
  { field: 'code', pattern: /^130[01]$/, failure: 'moderation' },
  { field: 'code', pattern: /^(1110|1112|1113|1121|1309)$/, failure: 'billing' },
  { field: 'code', pattern: /^(100[0-4]|1111)$/, failure: 'auth' },
  { field: 'code', pattern: /^(1211|122[12])$/, failure: 'model-gone' },
  { field: 'code', pattern: /^(1220|1311)$/, failure: 'no-access' },
  { field: 'code', pattern: /^(1212|121[345])$/, failure: 'config-drift' },
  { field: 'code', pattern: /^1261$/, failure: 'invalid-input' },
  { field: 'code', pattern: /^1304$/, failure: 'model-quota' },
  { field: 'code', pattern: /^(1308|1310)$/, failure: 'quota' },
  { field: 'code', pattern: /^(1305|1312)$/, failure: 'overload' },
  { field: 'code', pattern: /^(1120|1230|1234)$/, failure: 'upstream-error' },
  // An account without money has the status of a rate limit, or that of a bad request.
  {
    field: 'code',
    pattern: /^(insufficient_quota|billing_hard_limit_reached|billing_not_active)$/,
    failure: 'billing',
  },
  { field: 'type', pattern: /^(insufficient_quota|billing_limit_user_error)$/, failure: 'billing' },
  { field: 'code', pattern: /^unsupported_country_region_territory$/, failure: 'geo' },
  { field: 'code', pattern: /^model_not_found$/, failure: 'model-gone' },
  // A missing or surplus field is our error, whichever it is.
  { field: 'code', pattern: /^(unknown|missing_required|duplicate)_parameter$/, failure: 'config-drift' },
  { field: 'type', pattern: /^(missing|extra_forbidden)$/, failure: 'config-drift' },
  { field: 'param', pattern: /^model$/, failure: 'model-gone' },
  // The image has been decoded here before, and OpenAI is known to refuse good ones at times.
  { field: 'code', pattern: /^invalid_image_file$/, failure: 'doubtful-input' },
  { field: 'param', pattern: /^(image|prompt|negative_prompt)/i, failure: 'invalid-input' },
  { field: 'code', pattern: /^string_above_max_length$/, failure: 'invalid-input' },
];
const RETRY_TEXT = /try again in (?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d{1,6})?)(ms|s))?/i;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Response header with the id of the request. */
export const REQUEST_ID = 'x-request-id';

/** Converts a response that is no success. */
export function toProviderError(
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const details = parseErrorDetails(json?.value);
  const text = [details.code || details.type, details.param, details.message]
    .filter((part) => part !== '')
    .join(', ');
  const message = `OpenAI answered ${status}: ${quoteUpstream(text, key)}`;
  const failure = getFailure(status, details);
  return new ProviderError(failure, message, {
    retryAfterMs: parseRetryAfter(headers) ?? details.retryAfterMs,
    upstreamId: headers[REQUEST_ID],
    field: readRefusedField(failure, details.param, `${details.code} ${details.type} ${details.message}`),
  });
}

/** Converts the error that stands in place of an image in a successful response (ModelArk, `data[].error`). */
export function toEntryError(
  error: unknown,
  { key, upstreamId }: { readonly key: ProviderKey | null; readonly upstreamId: string | undefined },
): ProviderError {
  const details = parseErrorDetails({ error });
  const text = [details.code || details.type, details.message].filter((part) => part !== '').join(', ');
  const message = `OpenAI answered an error for an image: ${quoteUpstream(text, key)}`;
  const failure = getFailure(REFUSED, details);
  // Such an error says no more than that no image came.
  return new ProviderError(failure === 'unexplained' ? 'no-image' : failure, message, { upstreamId });
}

/** Parses an error of any content. */
export function parseErrorDetails(value: unknown): OpenaiErrorDetails {
  const body = readLoosely(bodySchema, value);
  const detail = readDetail(value);
  const error = body.error ?? body;
  const message = error.message || readLoosely(sentenceSchema, value).error || detail.text;
  return {
    code: typeof error.code === 'string' ? error.code : '',
    type: error.type || detail.type,
    param: error.param || detail.field || findFieldInText(message),
    message,
    status: [error.code, error.status].map(Number).find((one) => one >= 400 && one <= 599),
    retryAfterMs: parseRetryText(message),
  };
}

/** Returns true for a body that is an error and holds no images, whatever its status. */
export function isError(value: unknown): boolean {
  const { error, data } = readLoosely(bodySchema, value);
  return (
    !(Array.isArray(data) && data.length > 0) &&
    (error !== null || readLoosely(sentenceSchema, value).error !== '')
  );
}

/** Returns the failure of a response that is no success. A good status says nothing; the error may name the one that it would have. */
export function getFailure(given: number, details: OpenaiErrorDetails): ProviderFailure {
  const isMasked = given < 300;
  const status = isMasked ? (details.status ?? given) : given;
  if (status === PAYLOAD_TOO_LARGE) {
    return 'invalid-input';
  }
  const rule =
    isMasked || (status >= 400 && status < 500 && status !== UNAUTHORIZED)
      ? RULES.find(({ field, pattern }) => pattern.test(details[field]))
      : undefined;
  // Other keys may use the model.
  if (rule?.failure === 'model-gone' && status === FORBIDDEN) {
    return 'no-access';
  }
  // Of the customer's making, unless it names a field of ours.
  if (rule === undefined && details.type === 'image_generation_user_error' && details.param === '') {
    return 'invalid-input';
  }
  return rule?.failure ?? (status < 300 ? getFailureByType(details) : judgeResponse(status, toSaid(details)));
}

/** Types and codes of OpenAI's errors, for an answer whose status does not tell (its docs, "Error codes"). */
const FAILURES_BY_TYPE: Readonly<Record<string, ProviderFailure>> = {
  invalid_api_key: 'auth',
  authentication_error: 'auth',
  permission_error: 'no-access',
  rate_limit_exceeded: 'rate-limit',
  rate_limit_error: 'rate-limit',
  requests: 'rate-limit',
  tokens: 'rate-limit',
  server_overloaded: 'overload',
  server_error: 'upstream-error',
};

function getFailureByType(details: OpenaiErrorDetails): ProviderFailure {
  const { code, type } = details;
  const known = [code, type].find((name) => Object.hasOwn(FAILURES_BY_TYPE, name)) ?? '';
  if (type === 'invalid_request_error' && known === '') {
    return judgeResponse(REFUSED, toSaid(details));
  }
  return FAILURES_BY_TYPE[known] ?? judgeWords(toSaid(details)) ?? 'bad-response';
}

const toSaid = ({ code, message, param }: OpenaiErrorDetails): Said => ({
  code,
  text: message,
  field: param,
});

function parseRetryText(message: string): number | undefined {
  const [, minutes, amount, unit] = RETRY_TEXT.exec(message) ?? [];
  if (minutes === undefined && amount === undefined) {
    return undefined;
  }
  const restMs = Number(amount ?? 0) * (unit === 'ms' ? 1 : SECOND_MS);
  return Math.ceil(Number(minutes ?? 0) * MINUTE_MS + restMs);
}
