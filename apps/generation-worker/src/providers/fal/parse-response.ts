import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord } from '../http/json-fields.js';
import type { ProviderJob } from '../port.js';
import { type JobPaths, parsePaths, type Submission } from './job-paths.js';
import { type FalResponse, parseErrorDetails, toProviderError } from './to-provider-error.js';

const ID = /^[\w-]{1,200}$/;
const MODEL_HEADERS = ['x-fal-billable-units', 'x-fal-retryable'] as const;
const NOT_CANCELABLE: ReadonlySet<number> = new Set([400, 404]);

/** Parses the response to a submission. Throws ProviderError for a refusal, and `unknown` for an accepted job without a usable id. */
export function parseJob(
  { status, headers, json }: UpstreamResponse,
  submission: Omit<Submission, 'id'>,
): ProviderJob {
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value });
  }
  const id = asRecord(json?.value)?.request_id;
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new ProviderError('unknown', `fal answered ${status} without a request id`);
  }
  return { id, handle: JSON.stringify(parsePaths(json?.value, { ...submission, id })) };
}

/** Parses the response to a cancellation: true when the job will stop, false when it has ended or is unknown. Throws ProviderError for anything else. */
export function parseCancellation({ status, headers, json }: UpstreamResponse): boolean {
  if (isSuccess(status)) {
    return true;
  }
  if (NOT_CANCELABLE.has(status)) {
    return false;
  }
  throw toProviderError({ status, headers, value: json?.value });
}

/** Polls a job once: its status, and its result when it has ended, since a failed job is COMPLETED too. Throws ProviderError for a failed poll. */
export async function pollJob(
  get: (path: string) => Promise<UpstreamResponse>,
  paths: JobPaths,
): Promise<JobProgress<JobImages>> {
  const response = await get(`${paths.status}?logs=0`);
  const value = response.json?.value;
  if (response.status === 404) {
    return toFailed('unknown', 'fal does not know the job any more');
  }
  if (!isSuccess(response.status)) {
    throw toProviderError({ ...response, value });
  }
  const state = asRecord(value)?.status;
  if (typeof state !== 'string') {
    throw new ProviderError('bad-response', 'fal answered no status of the job');
  }
  if (state !== 'COMPLETED') {
    return { kind: 'pending' };
  }
  return parseResult(await get(paths.result), { ...response, value });
}

/**
 * Parses the response to a request for the result. fal passes the model's own response on, with its status. An error is the
 * job's own when it looks like one, otherwise the poll has failed.
 */
function parseResult({ status, headers, json }: UpstreamResponse, poll: FalResponse): JobProgress<JobImages> {
  const response: FalResponse = { status, headers, value: json?.value };
  if (status === 404) {
    return toFailed('unknown', 'fal does not know the job any more');
  }
  if (isTooEarly(response)) {
    return { kind: 'pending' };
  }
  if (isSuccess(status)) {
    if (json === null) {
      throw new ProviderError('bad-response', 'fal answered a result that is no JSON');
    }
    const urls = parseImageUrls(json.value);
    if (urls === null) {
      return toFailed('bad-response', 'fal answered a result without images');
    }
    if (urls.length === 0) {
      return toFailed('no-image', 'fal answered an empty list of images');
    }
    return { kind: 'done', result: { urls, json } };
  }
  if (isErrorOfModel(response)) {
    return { kind: 'failed', error: toProviderError(response) };
  }
  if (parseErrorDetails(poll).type !== null) {
    return { kind: 'failed', error: toProviderError({ ...poll, status: 500 }) };
  }
  throw toProviderError(response);
}

/** Returns the URLs of a result, which may be data URLs: none without an image, null for an invalid result. */
function parseImageUrls(result: unknown): readonly string[] | null {
  const images = asRecord(result)?.images;
  if (!Array.isArray(images)) {
    return null;
  }
  const urls = images.flatMap((image: unknown) => {
    const url = asRecord(image)?.url;
    return typeof url === 'string' && url !== '' ? [url] : [];
  });
  return urls.length === 0 && images.length > 0 ? null : urls;
}

/** Returns true for a result that is not ready. Sources differ about it: 202, or 400 with a plain text. */
function isTooEarly(response: FalResponse): boolean {
  return response.status === 202 || (response.status === 400 && parseErrorDetails(response).type === null);
}

function isErrorOfModel(response: FalResponse): boolean {
  const hasModelHeader = MODEL_HEADERS.some((name) => response.headers[name] !== undefined);
  return response.status === 422 || parseErrorDetails(response).type !== null || hasModelHeader;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function toFailed(failure: 'unknown' | 'bad-response' | 'no-image', message: string) {
  return { kind: 'failed', error: new ProviderError(failure, message) } as const;
}
