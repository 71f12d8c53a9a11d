import { TASK_ERROR_CLASSES, type TaskApi, type TaskErrorClass } from '@image-gateway/shared/upstreams';
import { ProviderError, type ProviderFailure } from '../failures.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import {
  findFieldInText,
  isOwnField,
  judgeResponse,
  judgeWords,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
} from '../http/error-response.js';
import { ANY, loose, readLoosely, TEXT } from '../http/read-shape.js';
import type { ProviderKey } from '../port.js';

/** Error as a task API words it. */
export interface TaskError {
  /** Machine-readable codes. */
  readonly codes: readonly string[];
  readonly text: string;
}

const bodySchema = loose({
  code: ANY,
  error: loose({ code: ANY, type: ANY, message: TEXT }),
  message: TEXT,
  msg: TEXT,
  detail: TEXT,
});
const sentenceSchema = loose({ error: TEXT });
const FAILURES: Readonly<Record<TaskErrorClass, ProviderFailure>> = {
  moderation: 'moderation',
  input: 'invalid-input',
  quota: 'quota',
  billing: 'billing',
  key: 'auth',
  overload: 'overload',
  no_image: 'no-image',
  rate: 'rate-limit',
  timeout: 'timeout',
  canceled: 'canceled',
};
const LOWEST_ERROR = 400;
const HIGHEST_ERROR = 599;

/** Converts a response that is no success; the status in its body counts where it has status 200. */
export function toProviderError(
  api: Pick<TaskApi, 'codes'>,
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const actual = getErrorStatus({ status, json }) ?? status;
  const error = readError(json?.value);
  const field = findFieldInText(error.text);
  const failure = classify(api, error, field) ?? judgeResponse(actual, { text: error.text, field });
  const message = `the task API answered ${actual}: ${quoteUpstream(describe(error), key)}`;
  return new ProviderError(failure, message, {
    retryAfterMs: parseRetryAfter(headers),
    field: readRefusedField(failure, field, error.text),
  });
}

/** Converts the error of a job that has failed. */
export function toJobError(
  api: Pick<TaskApi, 'codes'>,
  error: TaskError,
  { key, id }: { readonly key: ProviderKey | null; readonly id: string },
): ProviderError {
  const message = `the job failed: ${quoteUpstream(describe(error), key)}`;
  return new ProviderError(classify(api, error) ?? 'upstream-error', message, { upstreamId: id });
}

/** Returns the error status of a response, which some APIs say in `code` of a body with status 200; null for a success. */
export function getErrorStatus({ status, json }: Pick<UpstreamResponse, 'status' | 'json'>): number | null {
  if (status < 200 || status > 299) {
    return status;
  }
  const inBody = Number(readLoosely(bodySchema, json?.value).code);
  return Number.isInteger(inBody) && inBody >= LOWEST_ERROR && inBody <= HIGHEST_ERROR ? inBody : null;
}

/** Reads the error of a response in the shapes that such APIs have: `error` as object or text, or `code` with `msg` or `message`. */
export function readError(value: unknown): TaskError {
  const body = readLoosely(bodySchema, value);
  const { error: sentence } = readLoosely(sentenceSchema, value);
  return {
    codes: toCodes([body.error.code, body.error.type, body.code]),
    text: body.error.message || sentence || body.message || body.msg || body.detail,
  };
}

/** Returns the codes among values, numbers as text. */
export function toCodes(values: readonly unknown[]): string[] {
  return values.flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}

/** Sorts an error by the lists of the API, else by the words of the field in its codes and its text; null without either. */
function classify(
  { codes: lists = {} }: Pick<TaskApi, 'codes'>,
  { codes, text }: TaskError,
  field = '',
): ProviderFailure | null {
  const lower = text.toLowerCase();
  const named = TASK_ERROR_CLASSES.find((name) =>
    lists[name]?.some(
      (word) => codes.includes(word) || (/[a-z]/i.test(word) && lower.includes(word.toLowerCase())),
    ),
  );
  // A refused field of ours is no refused input.
  if (named && !(named === 'input' && isOwnField(field))) {
    return FAILURES[named];
  }
  const [byCode = null] = codes.flatMap((code) => judgeWords({ code }) ?? []);
  return byCode ?? judgeWords({ text, field });
}

function describe({ codes, text }: TaskError): string {
  return [...codes, text].join(' ');
}
