import { ProviderError, type ProviderFailure } from '../failures.js';
import { getFailureByStatus, parseRetryAfter, readRefusedField } from '../http/error-response.js';
import { asRecord, asRecords, asText } from '../http/json-decoder.js';

/** Response of Replicate as far as its errors are concerned. */
export interface ReplicateResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body; null or undefined when it is not JSON. */
  readonly value: unknown;
}

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
    /\b(flagged|safety (checker|filter|system|polic\w+)|nsfw|prohibited content|content polic(y|ies))\b|\bsensitive content\b|\b(rejected|blocked|refused) by (the |our )?moderation\b|\bcontent moderation\b/i,
    'moderation',
  ],
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
  const seconds = asRecord(response.value)?.retry_after;
  const inBody = typeof seconds === 'number' && seconds >= 0 ? seconds * SECOND_MS : undefined;
  const failure = getFailure(response, call);
  const invalid = readInvalidField(response.value);
  return new ProviderError(
    failure,
    `replicate answered ${response.status} to a ${call}: ${getText(response).slice(0, MAX_TEXT_CHARACTERS)}`,
    {
      retryAfterMs: parseRetryAfter(response.headers) ?? inBody,
      field: readRefusedField(failure, invalid.name, invalid.text),
    },
  );
}

/** Reads the first invalid field, such as `input.seed`. */
function readInvalidField(value: unknown): { readonly name: string; readonly text: string } {
  const [first] = asRecords(asRecord(value)?.invalid_fields);
  return { name: asText(first?.field).split('.')[1] ?? '', text: asText(first?.description) };
}

/** Converts the `error` of a failed prediction. */
export function toPredictionError(error: unknown, upstreamId: string): ProviderError {
  const text = asText(error);
  const code = CODE.exec(text)?.[0] ?? '';
  const known = Object.hasOwn(FAILURES_BY_CODE, code) ? FAILURES_BY_CODE[code] : undefined;
  const failure = known ?? FAILURES_BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'upstream-error';
  const message = `the prediction failed: ${text.slice(0, MAX_TEXT_CHARACTERS)}`;
  return new ProviderError(failure, message, { upstreamId });
}

function getText({ value }: ReplicateResponse): string {
  const { title, detail } = asRecord(value) ?? {};
  return [title, detail].filter((text): text is string => typeof text === 'string').join(': ');
}

function getFailure(response: ReplicateResponse, call: string): ProviderFailure {
  const { status, value } = response;
  const body = asRecord(value);
  // Any model can disappear; the list of files cannot.
  if (status === 404 && call === 'upload') {
    return 'config-drift';
  }
  if (status !== 422) {
    return getFailureByStatus(status, getText(response));
  }
  if (NO_SUCH_VERSION.test(asText(body?.title))) {
    return 'model-gone';
  }
  const fields: readonly unknown[] = Array.isArray(body?.invalid_fields) ? body.invalid_fields : [];
  const isCustomers = (field: unknown): boolean => CUSTOMER_FIELD.test(asText(asRecord(field)?.field));
  if (fields.length === 0) {
    return 'unexplained';
  }
  return fields.every(isCustomers) ? 'invalid-input' : 'config-drift';
}
