import { ProviderError } from '../errors.js';
import { getFailureByStatus } from '../failure-of-status.js';
import type { ProviderFailure } from '../failure-traits.js';
import { parseRetryAfter } from '../http/retry-after-of.js';
import { asRecord } from '../record-of.js';

/** An answer of Replicate as far as its errors go. */
export interface ReplicateAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; null or undefined when it is no JSON. */
  readonly value: unknown;
}

const NO_SUCH_VERSION = /^invalid version or not permitted/i;
const CUSTOMERS_FIELD = /^input\.(prompt|image_input)(\.|$)/;
const SECOND_MS = 1_000;
const LONGEST = 300;

/** What an answer that is no success says went wrong with the call: a prediction, an upload or a look. */
export function failureOf(answer: ReplicateAnswer, call: 'prediction' | 'upload' | 'look'): ProviderError {
  const body = asRecord(answer.value);
  const seconds = body?.retry_after;
  const inBody = typeof seconds === 'number' && seconds >= 0 ? seconds * SECOND_MS : undefined;
  return new ProviderError(
    classOf(answer, call),
    `replicate answered ${answer.status} to a ${call}: ${wordsOf(answer).slice(0, LONGEST)}`,
    { retryAfterMs: parseRetryAfter(answer.headers) ?? inBody },
  );
}

function wordsOf({ value }: ReplicateAnswer): string {
  const { title, detail } = asRecord(value) ?? {};
  return [title, detail].filter((text): text is string => typeof text === 'string').join(': ');
}

function classOf(answer: ReplicateAnswer, call: string): ProviderFailure {
  const { status, value } = answer;
  const body = asRecord(value);
  // Every model can go, the list of files can't.
  if (status === 404 && call === 'upload') return 'config-drift';
  if (status !== 422) return getFailureByStatus(status, wordsOf(answer));
  if (typeof body?.title === 'string' && NO_SUCH_VERSION.test(body.title)) return 'model-gone';
  const fields = Array.isArray(body?.invalid_fields) ? body.invalid_fields : [];
  const names = fields.map((field: unknown) => asRecord(field)?.field);
  const customers = (name: unknown): boolean => typeof name === 'string' && CUSTOMERS_FIELD.test(name);
  return names.length > 0 && names.every(customers) ? 'invalid-input' : 'config-drift';
}
