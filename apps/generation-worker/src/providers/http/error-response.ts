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
const MODEL = /\bmodels?\b/i;
const KEY =
  /\b(api[ _-]?key|keys?\b|token|credential|authenticat|account|project|organization|caller|consumer)/i;
const FORBIDDEN = 403;
const TOO_MANY = 429;
const MAX_QUOTE_CHARACTERS = 300;
const SECOND_MS = 1_000;
const MS = /^\d{1,12}(?:\.\d+)?$/;
// A repeated header arrives as a list.
const SECONDS = /^(\d{1,9}(?:\.\d+)?)(?:\s*,|$)/;
// `Date.parse` finds a date in almost any text.
const DATE = /^[A-Z][a-z]{2,8},? /;

/** Words of a response that is no success, beside its status; missing ones are empty. */
export interface Said {
  /** In any style: `content_policy_violation`, `InputImageSensitiveContentDetected.PrivacyInformation`. */
  readonly code?: string;
  readonly text?: string;
  /** Field of the request that it names. */
  readonly field?: string | undefined;
}

/** Statuses of refusals whose words count: one that says that a server broke blames nobody, whatever its text speaks of. */
const SPEAKING: ReadonlySet<number> = new Set([400, 403, 404, 409, 422]);

/** Returns the failure of a response to a paid request by its code, its status and its text. Rules of one vendor take precedence. */
export function judgeResponse(status: number, said: Said = {}): ProviderFailure {
  const { text = '', field = '' } = said;
  const failure = judgeSpoken(status, said) ?? getFailureByStatus(status, text);
  // One that names a field is about our description of the model.
  return failure === 'unexplained' && field !== '' ? 'config-drift' : failure;
}

function judgeSpoken(status: number, said: Said): ProviderFailure | null {
  const failure = judgeWords(said);
  // An account without money may have the status of a rate limit.
  return SPEAKING.has(status) || (status === TOO_MANY && failure === 'billing') ? failure : null;
}

function getFailureByStatus(status: number, text: string): ProviderFailure {
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

type Words = readonly (readonly [RegExp, ProviderFailure])[];

// Of codes in small letters, such as `input_text_sensitive_content_detected`; the first match counts.
const CODE_WORDS: Words = [
  [
    /sensitive_content|content_?(policy|filter)|^(moderation|safety|nsfw)|_moderated|risk_detection$/,
    'moderation',
  ],
  [/insufficient_(account_)?(balance|credit|fund|quota)|overdue|arrear|payment_required/, 'billing'],
  [/^(invalid|incorrect)_api_key|^unauthorized|^authentication|_authentication_error/, 'auth'],
  [/rate_?limit|too_many_requests|throttl/, 'rate-limit'],
  [/time_?out|timed_out|deadline_exceeded/, 'timeout'],
  [/cancell?ed/, 'canceled'],
  [/no_(content|image|media|output)s?(_|$)/, 'no-image'],
  [/overload|unavailable|no_capacity/, 'overload'],
  [/failed_to_download|image_file_not_found/, 'input-fetch'],
  [
    new RegExp(
      [
        '^(invalid|unsupported|oversized?|empty|corrupt(ed)?)_(base64_)?(input|image|prompt)',
        'image_(file_)?(too_(large|small)|dimension|processing|parse|format)',
      ].join('|'),
    ),
    'invalid-input',
  ],
];
// Only whole phrases count: "the safety module is down" blames nobody.
const TEXT_WORDS: Words = [
  [
    new RegExp(
      [
        'content[ _](polic(y|ies)|filter)|\\bmoderat(ed|ion)\\b|\\bnsfw\\b|\\bflagged (as|by)\\b',
        'safety (system|filter|checker|polic\\w+)|(prohibited|sensitive) content|sensitive information',
      ].join('|'),
      'i',
    ),
    'moderation',
  ],
  [
    new RegExp(
      [
        'insufficient[ _](account )?(balance|credits?|funds|quota)|exhausted balance|overdue balance',
        'used all available credits',
        '\\b(balance|credits?) (is|are|has been|have been) (exhausted|depleted|used up)',
        'billing (to be enabled|has been disabled|is disabled)',
      ].join('|'),
      'i',
    ),
    'billing',
  ],
  [/\brate limit (is )?(exceeded|reached)|too many requests/i, 'rate-limit'],
  [/\b(request|task|job|generation) timed out\b/i, 'timeout'],
  [/\b(request|task|job|generation) (was|has been) cancell?ed\b/i, 'canceled'],
  [/\bno images? (was|were|could be) (generated|produced|returned)\b/i, 'no-image'],
  [
    /\b(image|prompt)s? (is|are|was) (too (large|small|long|short)|corrupt(ed)?|unreadable)\b/i,
    'invalid-input',
  ],
];
/** Fields whose content is the customer's: a refusal that names one may be about what stands in it. */
const CONTENT_FIELD = /^(prompt|negative_prompt|images?|image_urls?|input_image\w*|mask\w*)$/i;

/** Returns the failure that the words of the field stand for, in a code or else in a text; null without such words. */
export function judgeWords({ code = '', text = '', field = '' }: Said): ProviderFailure | null {
  const small = code
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase();
  const byCode = CODE_WORDS.find(([pattern]) => pattern.test(small));
  // "Unknown parameter: 'moderation'" is about the field, not about the content.
  const byText = isOwnField(field) ? undefined : TEXT_WORDS.find(([pattern]) => pattern.test(text));
  return (byCode ?? byText)?.[1] ?? null;
}

/** Returns true for a field whose value is ours, not the customer's text or image. */
export function isOwnField(field: string): boolean {
  return field !== '' && !CONTENT_FIELD.test(field);
}

const FIELD_PATTERNS: readonly RegExp[] = [
  // `seed must be absent`
  /^["'`]?(\w{1,60})["'`]? must be\b/i,
  // `Unknown parameter: seed`, `the parameter `seed` …`, `parameters.size …`
  /\b(?:parameters?|field)(?:: ?["'`]?| ["'`]|\.)(\w{1,60})/i,
  // `The parameter seed specified in the request is not valid`
  /\bparameter (?!specified\b)(\w{1,60}) (?:specified|is|must)\b/i,
  // `no endpoint supports seed=7`
  /\bsupports (\w{1,60})=/i,
];

/** Returns the field of a request that a text names; empty without one. */
export function findFieldInText(text: string): string {
  return FIELD_PATTERNS.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])[0] ?? '';
}

const UNKNOWN_FIELD = new RegExp(
  [
    'unknown_parameter|unsupported_parameter|extra_forbidden',
    '(unknown|unsupported|unexpected|unrecognized) (name|parameter|field|argument|request argument|keyword)',
    'extra inputs',
  ].join('|'),
  'i',
);

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

/**
 * Returns the pause that a response requests, in milliseconds, from `retry-after-ms` or `Retry-After` (RFC 9110 section 10.2.3:
 * seconds or a date); undefined without one.
 */
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
