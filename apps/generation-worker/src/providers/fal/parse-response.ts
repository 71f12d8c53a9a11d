import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import { asRecord } from '../http/json-decoder.js';
import type { ProviderJob } from '../port.js';
import { readJobId, type SaidFacts } from '../upstream-text.js';
import { type FalResponse, parseErrorDetails, toProviderError } from './to-provider-error.js';

/** Paths of a job below the API's base URL. */
export interface JobPaths {
  readonly status: string;
  readonly result: string;
  readonly cancel: string;
}

/** Accepted submission. */
export interface Submission {
  readonly id: string;
  /** Called model, such as `fal-ai/nano-banana/edit`. */
  readonly model: string;
  /** Path of the configured base URL, which is no part of the paths; empty for fal itself. */
  readonly basePath: string;
}

const MAX_URL_CHARACTERS = 1_000;
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
  const id = readJobId(asRecord(json?.value)?.request_id);
  if (id === null) {
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
    const said = readSaid(json.value, urls.length);
    return { kind: 'done', result: { urls, json, said, moderated: readFlags(json.value) } };
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
  const { image, images = image === undefined ? image : [image] } = asRecord(result) ?? {};
  if (!Array.isArray(images)) {
    return null;
  }
  const urls = images.flatMap((one: unknown) => {
    const url = asRecord(one)?.url;
    return typeof url === 'string' && url !== '' ? [url] : [];
  });
  return urls.length === 0 && images.length > 0 ? null : urls;
}

/** Returns which images the safety checker has blacked out, by their index. */
function readFlags(result: unknown): readonly boolean[] {
  const { has_nsfw_concepts: concepts, nsfw_content_detected: detected } = asRecord(result) ?? {};
  const flags: unknown = concepts ?? detected;
  return (Array.isArray(flags) ? flags : [flags]).map((flag) => flag === true);
}

/** Returns what a result says. Its seed is that of all images together, from which nobody knows the one of a second. */
function readSaid(result: unknown, images: number): readonly SaidFacts[] {
  const seed = images === 1 ? asRecord(result)?.seed : undefined;
  return seed === undefined ? [] : [{ seed }];
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

/**
 * Returns the paths of the URLs in the response to a submission. Hosts are left out, so that the key is never sent to
 * another origin. A missing or invalid URL is replaced by the usual path of owner and app.
 */
export function parsePaths(response: unknown, submission: Submission): JobPaths {
  const given = asRecord(response);
  const usual = buildUsualPaths(submission);
  return {
    status: parsePath(given?.status_url, submission) ?? usual.status,
    result: parsePath(given?.response_url, submission) ?? usual.result,
    cancel: parsePath(given?.cancel_url, submission) ?? usual.cancel,
  };
}

/** Parses the saved paths of a job; a missing or invalid one is replaced by the usual path. */
export function parseHandle({ id, handle }: ProviderJob, model: string): JobPaths {
  const usual = buildUsualPaths({ id, model });
  const saved = handle === null ? null : asRecord(parseJson(handle));
  const read = (name: keyof JobPaths): string => {
    const value = saved?.[name];
    return typeof value === 'string' && /^\/[^/\\]/.test(value) ? value : usual[name];
  };
  return { status: read('status'), result: read('result'), cancel: read('cancel') };
}

/** Builds the usual paths, which contain owner and app only. The rest of the model, such as `/edit`, is dropped, as in fal's own client. */
function buildUsualPaths({ id, model }: Pick<Submission, 'id' | 'model'>): JobPaths {
  const [owner = '', app = ''] = model.split('/');
  const job = `/${owner}/${app}/requests/${id}`;
  return { status: `${job}/status`, result: job, cancel: `${job}/cancel` };
}

function parsePath(url: unknown, { id, basePath }: Submission): string | null {
  if (typeof url !== 'string' || url.length > MAX_URL_CHARACTERS || !URL.canParse(url)) {
    return null;
  }
  const { protocol, pathname } = new URL(url);
  if (!/^https?:$/.test(protocol) || !pathname.split('/').includes(id)) {
    return null;
  }
  const isWithin = basePath !== '' && pathname.startsWith(`${basePath}/`);
  const path = isWithin ? pathname.slice(basePath.length) : pathname;
  return path.startsWith('//') ? null : path;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
