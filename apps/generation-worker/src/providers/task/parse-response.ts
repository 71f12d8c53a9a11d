import { readJsonPath, type TaskApi } from '@image-gateway/shared/upstreams';
import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import type { DecodedJson } from '../http/json-decoder.js';
import type { ProviderKey } from '../port.js';
import { readCost } from '../read-cost.js';
import { readUpstreamText } from '../upstream-text.js';
import { getErrorStatus, readError, toCodes, toJobError, toProviderError } from './to-provider-error.js';

/** Images of a finished job, and what it cost. */
export interface TaskResult extends JobImages {
  /** Micro-dollars; null where the API does not say it. */
  readonly costMicros: bigint | null;
}

/** Job of a task API, and the key that it belongs to. */
export interface TaskJob {
  readonly id: string;
  readonly key: ProviderKey | null;
}

const MICROS = 1_000_000;
const NOT_FOUND: ReadonlySet<number> = new Set([404, 410]);

/**
 * Returns the id of the job that a response to a submission names. Throws ProviderError: `unknown` for an accepted job without
 * a usable id.
 */
export function parseSubmission(api: TaskApi, response: UpstreamResponse, key: ProviderKey | null): string {
  const [given] = readJsonPath(response.json?.value, api.submit.id);
  const id = readUpstreamText(typeof given === 'number' ? String(given) : given);
  const isSuccess = response.status >= 200 && response.status <= 299;
  if (isSuccess && id !== null) {
    return id;
  }
  if (getErrorStatus(response) !== null) {
    throw toProviderError(api, response, key);
  }
  throw new ProviderError('unknown', `the task API answered ${response.status} without the id of a job`);
}

/** Parses the response to a poll. Throws ProviderError for a failed poll, which says nothing about the job. */
export function parsePoll(
  api: TaskApi,
  response: UpstreamResponse,
  { id, key }: TaskJob,
): JobProgress<TaskResult> {
  const { poll } = api;
  const { json } = response;
  const status = getErrorStatus(response);
  const [state] = toCodes(readJsonPath(json?.value, poll.status));
  if (state === undefined && status !== null && poll.failed.includes(String(status))) {
    return { kind: 'failed', error: toJobError(api, readError(json?.value), { id, key }) };
  }
  if (status !== null && NOT_FOUND.has(status)) {
    return { ...toFailed('unknown', 'the task API does not know the job', id), mayChange: 'while-new' };
  }
  const isSuccess = response.status >= 200 && response.status <= 299;
  if (!isSuccess || (state === undefined && status !== null)) {
    throw toProviderError(api, response, key);
  }
  if (json === null || state === undefined) {
    throw new ProviderError('bad-response', 'the task API answered no state of a job');
  }
  if (isAmong(poll.running, state)) {
    return { kind: 'pending' };
  }
  if (isAmong(poll.failed, state)) {
    // Some states say themselves why, such as `cancelled`.
    const codes = [...toCodes(readJsonPath(json.value, poll.code)), state];
    const text = toCodes(readJsonPath(json.value, poll.error)).join(' ');
    return { kind: 'failed', error: toJobError(api, { codes, text }, { id, key }) };
  }
  if (!isAmong(poll.done, state)) {
    return toFailed('unknown', `the state of the job is in none of the lists: ${state.slice(0, 50)}`, id);
  }
  const urls = readImages(api, json);
  const [stated] = readJsonPath(json.value, poll.cost);
  return urls.length === 0
    ? { ...toFailed('no-image', 'the job has ended without an image', id), mayChange: 'once' }
    : {
        kind: 'done',
        result: { urls, json, costMicros: readCost(stated, Number(api.cost_unit ?? '1') * MICROS) },
      };
}

/** Parses the response to a cancellation: true when the job will stop. Throws ProviderError for a failed one that may be repeated. */
export function parseCancellation(
  api: TaskApi,
  response: UpstreamResponse,
  key: ProviderKey | null,
): boolean {
  const status = getErrorStatus(response);
  if (status === null) {
    // An answer with the job itself says whether it had ended before.
    const [state] = toCodes(readJsonPath(response.json?.value, api.poll.status));
    return state === undefined || !isAmong(api.poll.done, state);
  }
  if (status >= 500 || status === 429) {
    throw toProviderError(api, response, key);
  }
  return false;
}

/** Vendors write their states in capitals in some versions and not in others. */
function isAmong(states: readonly string[], state: string): boolean {
  return states.some((one) => one.toLowerCase() === state.toLowerCase());
}

function readImages({ poll }: TaskApi, json: DecodedJson): readonly string[] {
  const value = poll.parse === undefined ? json.value : parseText(readJsonPath(json.value, poll.parse)[0]);
  // A selected list counts by its entries.
  const given = readJsonPath(value, poll.images).flat();
  return given.filter((url): url is string => typeof url === 'string' && url !== '');
}

function parseText(text: unknown): unknown {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as unknown) : text;
  } catch {
    // Without JSON there are no images, and the caller says so.
    return null;
  }
}

function toFailed(failure: 'unknown' | 'no-image', message: string, upstreamId: string) {
  return { kind: 'failed', error: new ProviderError(failure, message, { upstreamId }) } as const;
}
