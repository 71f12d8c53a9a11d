import Joi from 'joi';
import type { JobImages } from '../deliver-images.js';
import { ProviderError, type ProviderFailure } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamRequest, UpstreamResponse } from '../http/create-upstream.js';
import {
  judgeResponse,
  judgeWords,
  parseRetryAfter,
  quoteUpstream,
  readRefusedField,
} from '../http/error-response.js';
import { readDetail } from '../http/read-detail.js';
import { ANY, loose, NEEDED_TEXT, NUMBER, needed, readLoosely, readShape, TEXT } from '../http/read-shape.js';
import type { ProviderJob, ProviderKey } from '../port.js';
import { readCost } from '../read-cost.js';
import { readJobId } from '../upstream-text.js';

// `cost` is in credits of a cent each (docs.bfl.ai, "Pricing"): flux-2-pro at one megapixel answers 3.0, and its list price is $0.03.
const createdSchema = needed({
  id: NEEDED_TEXT,
  polling_url: Joi.string().max(1_000).failover('').default('') as Joi.AnySchema<string>,
  cost: ANY,
});
interface Result {
  readonly sample?: string;
  readonly seed?: unknown;
  readonly prompt?: unknown;
}

const polledSchema = needed({
  status: NEEDED_TEXT,
  result: Joi.object({ sample: Joi.string() }).allow(null) as Joi.AnySchema<Result | null | undefined>,
  details: ANY,
});
const handleSchema = loose({ url: TEXT, cost: ANY });
const stateSchema = loose({ status: TEXT });
// The second form of BFL's errors (github.com/black-forest-labs/skills, error-handling.md): a code, and the fields that are
// wrong by their names.
const codedSchema = loose({ error: TEXT, message: TEXT, details: loose({}), retry_after: NUMBER });

/** Ends of a job without an image; every other state means that it still runs. */
const FAILURES: Readonly<Record<string, ProviderFailure>> = {
  'Request Moderated': 'moderation',
  'Content Moderated': 'moderation',
  'Task not found': 'unknown',
  Error: 'upstream-error',
  Failed: 'upstream-error',
};
const CREDIT_MICROS = 10_000;
const OWN_HOST = /(^|\.)bfl\.ai$/;

/** Parses the response to a submission. Throws ProviderError for a refusal, and `unknown` for an accepted job without a usable id. */
export function parseCreated(response: UpstreamResponse, key: ProviderKey | null): ProviderJob {
  const { status, json } = response;
  if (status < 200 || status > 299) {
    throw toProviderError(response, key);
  }
  const created = readShape(createdSchema, json?.value, { upstream: 'BFL', failure: 'unknown' });
  const id = readJobId(created.id);
  if (id === null) {
    throw new ProviderError('unknown', `BFL answered ${status} without the id of a job`);
  }
  return { id, handle: JSON.stringify({ url: created.polling_url, cost: created.cost }) };
}

/** Where to poll a job, and what it costs. */
export interface BflHandle {
  readonly place: Pick<UpstreamRequest, 'path' | 'baseUrl'>;
  readonly costMicros: bigint | null;
}

/**
 * Parses the saved handle of a job. It is polled in the region that took it; the key goes to hosts of BFL and to the configured
 * one only.
 */
export function parseHandle({ id, handle }: ProviderJob, baseUrl: string): BflHandle {
  const { url, cost } = readLoosely(handleSchema, JSON.parse(handle ?? 'null'));
  const usual = { path: `/get_result?id=${id}` };
  return {
    place: (URL.canParse(url) && findPlace(new URL(url), baseUrl)) || usual,
    costMicros: readCost(cost, CREDIT_MICROS),
  };
}

function findPlace({ protocol, hostname, origin, pathname, search }: URL, baseUrl: string) {
  const path = `${pathname}${search}`;
  if (origin === new URL(baseUrl).origin || (protocol === 'https:' && OWN_HOST.test(hostname))) {
    return { path, baseUrl: origin };
  }
  return null;
}

/** Parses the response to a poll. Throws ProviderError for a failed poll, which says nothing about the job. */
export function parsePoll(
  response: UpstreamResponse,
  { job, key }: { readonly job: ProviderJob; readonly key: ProviderKey | null },
): JobProgress<JobImages> {
  const { status, json } = response;
  const { status: given } = readLoosely(stateSchema, json?.value);
  // A job that is not known may have another status than 200.
  if ((status < 200 || status > 299) && given !== 'Task not found') {
    throw toProviderError(response, key);
  }
  const polled = readShape(polledSchema, json?.value, { upstream: 'BFL' });
  const { status: state, result, details } = polled;
  const coded = readError(json?.value);
  const fail = (failure: ProviderFailure): JobProgress<JobImages> => {
    const given = [coded.code, coded.text, details === undefined ? '' : JSON.stringify(details)];
    const text = quoteUpstream(given.filter((part) => part !== '').join(' '), key);
    const message = `the job ended as "${quoteUpstream(state, key)}" ${text}`;
    const isMissing = failure === 'unknown' && ({ mayChange: 'while-new' } as const);
    return {
      kind: 'failed',
      error: new ProviderError(failure, message, { upstreamId: job.id }),
      ...isMissing,
    };
  };
  const failure = Object.hasOwn(FAILURES, state) ? FAILURES[state] : undefined;
  if (failure === 'upstream-error') {
    return fail(judgeWords({ code: coded.code, text: coded.text }) ?? failure);
  }
  if (failure !== undefined) {
    return fail(failure);
  }
  if (state !== 'Ready') {
    return { kind: 'pending' };
  }
  if (json === null || result?.sample === undefined) {
    return fail('no-image');
  }
  return {
    kind: 'done',
    result: { urls: [result.sample], said: [{ seed: result.seed, revisedPrompt: result.prompt }], json },
  };
}

const UNPROCESSABLE = 422;
const CUSTOMER_FIELD = /^(prompt|input_image)/;
const SECOND_MS = 1_000;

/** Reads an error in either of its forms: FastAPI's `detail`, or a code with `message` and `details`. */
function readError(value: unknown) {
  const { text, field } = readDetail(value);
  const { error: code, message, details, retry_after: seconds } = readLoosely(codedSchema, value);
  const [name = '', fault] = Object.entries<unknown>(details)[0] ?? [];
  return {
    code,
    text: [text, message, typeof fault === 'string' ? fault : ''].filter((part) => part !== '').join(', '),
    field: field || name,
    retryAfterMs: seconds === null ? undefined : seconds * SECOND_MS,
  };
}

/** Converts a response that is no success. */
export function toProviderError(
  { status, headers, json }: UpstreamResponse,
  key: ProviderKey | null,
): ProviderError {
  const { retryAfterMs, ...said } = readError(json?.value);
  const { code, text, field } = said;
  const general = judgeResponse(status, said);
  const isCustomers = general === 'config-drift' && status === UNPROCESSABLE && CUSTOMER_FIELD.test(field);
  const failure = isCustomers ? 'invalid-input' : general;
  const quoted = quoteUpstream([code, text].filter((part) => part !== '').join(': '), key);
  return new ProviderError(failure, `BFL answered ${status}: ${quoted}`, {
    retryAfterMs: parseRetryAfter(headers) ?? retryAfterMs,
    field: readRefusedField(failure, field, `${code} ${text}`),
  });
}
