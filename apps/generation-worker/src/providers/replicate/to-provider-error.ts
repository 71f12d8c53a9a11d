import { ProviderError, type ProviderFailure } from '../failures.js';
import { judgeResponse, parseRetryAfter, readRefusedField } from '../http/error-response.js';
import { list, loose, NUMBER, needed, readLoosely, TEXT } from '../http/read-shape.js';

/** Response of Replicate as far as its errors are concerned. */
export interface ReplicateResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body; null or undefined when it is not JSON. */
  readonly value: unknown;
}

const bodySchema = loose({
  title: TEXT,
  detail: TEXT,
  retry_after: NUMBER,
  invalid_fields: list(needed({ field: TEXT, description: TEXT })),
});

// Codes in the text of a failed prediction: those of Google's models (three digits) and Replicate's own (four).
const FAILURES_BY_CODE: Readonly<Record<string, ProviderFailure>> = {
  // The maker's own key or credit at Google has run out, not ours.
  E001: 'overload',
  E002: 'overload',
  E003: 'overload',
  E004: 'overload',
  E005: 'moderation',
  E006: 'invalid-input',
  E1000: 'upstream-error',
  E1001: 'upstream-error',
};
// Texts without a known code; the first match counts.
const FAILURES_BY_TEXT: readonly (readonly [RegExp, ProviderFailure])[] = [
  [
    /\b(flagged|safety (checker|filter|system|polic\w+)|nsfw|(prohibited|sensitive) content|content polic(y|ies))\b/i,
    'moderation',
  ],
  [/\b((rejected|blocked|refused) by (the |our )?|content )moderation\b/i, 'moderation'],
  [/\b(image|input|prompt) (is )?too (large|big|long)\b/i, 'invalid-input'],
  [/\b(no images?( data)?|did not (return|generate) (an|any) images?)\b/i, 'no-image'],
];
const CODE = /\bE\d{3,4}\b/;
const NO_SUCH_VERSION = /^invalid version or not permitted/i;
const CUSTOMER_FIELD = /^input\.(prompt|image_input)(\.|$)/;
const SECOND_MS = 1_000;
const MAX_TEXT_CHARACTERS = 300;

/** Converts a response that is no success: to a prediction, an upload or a poll. */
export function toProviderError(
  response: ReplicateResponse,
  call: 'prediction' | 'upload' | 'poll',
): ProviderError {
  const { title, detail, retry_after: seconds, ...body } = readLoosely(bodySchema, response.value);
  const text = [title, detail].filter((part) => part !== '').join(': ');
  const fields = body.invalid_fields.map(({ field }) => field);
  const failure = getFailure({ status: response.status, title, text, fields }, call);
  const description = body.invalid_fields[0]?.description ?? '';
  return new ProviderError(
    failure,
    `replicate answered ${response.status} to a ${call}: ${text.slice(0, MAX_TEXT_CHARACTERS)}`,
    {
      retryAfterMs: parseRetryAfter(response.headers) ?? (seconds === null ? undefined : seconds * SECOND_MS),
      // Such as `input.seed`.
      field: readRefusedField(failure, fields[0]?.split('.')[1], description),
    },
  );
}

/** Converts the `error` of a failed prediction. */
export function toPredictionError(text: string, upstreamId: string): ProviderError {
  const code = CODE.exec(text)?.[0] ?? '';
  const known = Object.hasOwn(FAILURES_BY_CODE, code) ? FAILURES_BY_CODE[code] : undefined;
  const failure = known ?? FAILURES_BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'upstream-error';
  const message = `the prediction failed: ${text.slice(0, MAX_TEXT_CHARACTERS)}`;
  return new ProviderError(failure, message, { upstreamId });
}

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Invalid fields of the request. */
  readonly fields: readonly string[];
}

function getFailure({ status, title, text, fields }: Refusal, call: string): ProviderFailure {
  // Any model can disappear; the list of files cannot.
  if (status === 404 && call === 'upload') {
    return 'config-drift';
  }
  if (status !== 422) {
    return judgeResponse(status, { text });
  }
  if (NO_SUCH_VERSION.test(title)) {
    return 'model-gone';
  }
  if (fields.length === 0) {
    return judgeResponse(status, { text });
  }
  return fields.every((field) => CUSTOMER_FIELD.test(field)) ? 'invalid-input' : 'config-drift';
}
