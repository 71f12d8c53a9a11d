import type { ProviderFailure, RefusedField } from '../failures.js';
import type { ProviderKey } from '../port.js';

const FAILURES_BY_STATUS: Readonly<Record<number, ProviderFailure>> = {
  // Nothing can be told from these alone: an input, a field or the model may be meant.
  400: 'unexplained',
  413: 'unexplained',
  422: 'unexplained',
  401: 'auth',
  402: 'billing',
  404: 'model-gone',
  // The form of the request: its method, address or content type.
  405: 'config-drift',
  406: 'config-drift',
  415: 'config-drift',
  408: 'timeout',
  410: 'model-gone',
  429: 'rate-limit',
  // The provider gave it up, and may have begun.
  499: 'timeout',
  503: 'overload',
  504: 'timeout',
  524: 'timeout',
  529: 'overload',
};
const REGION = /\b(region|country|location)\b/i;
const MODEL = /\bmodel\b/i;
const KEY =
  /\b(api[ _-]?key|keys?\b|token|credential|authenticat|account|project|organization|caller|consumer)/i;
const FORBIDDEN = 403;
const MAX_QUOTE_CHARACTERS = 300;
const SECOND_MS = 1_000;
const MS = /^\d{1,12}(?:\.\d+)?$/;
// A repeated header arrives as a list.
const SECONDS = /^(\d{1,9}(?:\.\d+)?)(?:\s*,|$)/;
// `Date.parse` finds a date in almost any text.
const DATE = /^[A-Z][a-z]{2,8},? /;

/** Returns the failure of a response to a paid request by its status and text. More exact error codes take precedence. */
export function getFailureByStatus(status: number, text = ''): ProviderFailure {
  if (status === FORBIDDEN) {
    return getAccessFailure(text);
  }
  // An unknown error of any kind is the provider's: only what it says of the request is ours.
  return FAILURES_BY_STATUS[status] ?? (status >= 400 ? 'upstream-error' : 'bad-response');
}

/** A refusal that does not speak of the key takes away no other model of the key. */
function getAccessFailure(text: string): ProviderFailure {
  if (MODEL.test(text)) {
    return 'no-access';
  }
  if (REGION.test(text)) {
    return 'geo';
  }
  return KEY.test(text) ? 'auth' : 'no-access';
}

/** Returns the failure of a refusal that may name a field: one that does is about our description of the model. */
export function explainRefusal(failure: ProviderFailure, field: string | undefined): ProviderFailure {
  return failure === 'unexplained' && field !== undefined && field !== '' ? 'config-drift' : failure;
}

const UNKNOWN_FIELD =
  /unknown_parameter|unsupported_parameter|extra_forbidden|(unknown|unsupported|unexpected|unrecognized) (name|parameter|field|argument|request argument|keyword)|extra inputs/i;

/** Returns the field that a refusal names, where the request was refused for its form. */
export function readRefusedField(
  failure: ProviderFailure,
  name: string | undefined,
  text: string,
): RefusedField | undefined {
  return failure === 'config-drift' && name !== undefined && name !== ''
    ? { name, isUnknown: UNKNOWN_FIELD.test(text) }
    : undefined;
}

/** Returns the pause that a response requests, in milliseconds, from `retry-after-ms` or `Retry-After` (RFC 9110 section 10.2.3: seconds or a date); undefined without one. */
export function parseRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const ms = headers['retry-after-ms']?.trim() ?? '';
  if (MS.test(ms)) {
    return Number(ms);
  }
  const given = headers['retry-after']?.trim() ?? '';
  const seconds = SECONDS.exec(given)?.[1];
  if (seconds !== undefined) {
    return Number(seconds) * SECOND_MS;
  }
  const at = DATE.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** Returns text of an upstream for the log: at most 300 characters, and without the key, which some upstreams quote. */
export function quoteUpstream(text: unknown, key: ProviderKey | null): string {
  if (typeof text !== 'string') {
    return '';
  }
  const whole = key === null || key.secret === '' ? text : text.replaceAll(key.secret, '[key]');
  return whole.slice(0, MAX_QUOTE_CHARACTERS);
}
