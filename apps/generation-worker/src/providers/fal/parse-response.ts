import type { JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { JobProgress } from '../follow-job.js';
import type { UpstreamResponse } from '../http/create-upstream.js';
import type { DecodedJson } from '../http/json-decoder.js';
import {
  ANY,
  checkShape,
  entries,
  loose,
  NEEDED_TEXT,
  needed,
  readLoosely,
  readShape,
  TEXT,
} from '../http/read-shape.js';
import type { ProviderJob } from '../port.js';
import { readJobId } from '../upstream-text.js';
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

const submittedSchema = needed({ request_id: NEEDED_TEXT });
const urlsSchema = loose({ status_url: TEXT, response_url: TEXT, cancel_url: TEXT });
const stateSchema = needed({ status: NEEDED_TEXT });
const resultSchema = loose({
  image: ANY,
  images: ANY,
  seed: ANY,
  has_nsfw_concepts: ANY,
  nsfw_content_detected: ANY,
  actual_prompt: ANY,
  revised_prompt: ANY,
  prompt: ANY,
});
const imagesSchema = needed({ images: entries(needed({ url: NEEDED_TEXT })) });
const handleSchema = loose({ status: TEXT, result: TEXT, cancel: TEXT });
const MAX_URL_CHARACTERS = 1_000;
const MODEL_HEADERS = ['x-fal-billable-units', 'x-fal-retryable'] as const;
/** Answer of an app to a path that it does not have: the queue takes such jobs, and bills nothing (`fal/api/api.py`). */
const NO_ENDPOINT = /^Path \S+ not found$/;
const NOT_CANCELABLE: ReadonlySet<number> = new Set([400, 404]);

/** Parses the response to a submission. Throws ProviderError for a refusal, and `unknown` for an accepted job without a usable id. */
export function parseJob(
  { status, headers, json }: UpstreamResponse,
  submission: Omit<Submission, 'id'>,
): ProviderJob {
  if (!isSuccess(status)) {
    throw toProviderError({ status, headers, value: json?.value });
  }
  const given = readShape(submittedSchema, json?.value, { upstream: 'fal', failure: 'unknown' });
  const id = readJobId(given.request_id);
  if (id === null) {
    throw new ProviderError('unknown', `fal answered ${status} without a request id`);
  }
  return { id, handle: JSON.stringify(parsePaths(json?.value, { ...submission, id })) };
}

/**
 * Parses the response to a cancellation: true when the job will stop, false when it has ended or is unknown. Throws
 * ProviderError for anything else.
 */
export function parseCancellation({ status, headers, json }: UpstreamResponse): boolean {
  if (isSuccess(status)) {
    return true;
  }
  if (NOT_CANCELABLE.has(status)) {
    return false;
  }
  throw toProviderError({ status, headers, value: json?.value });
}

/**
 * Polls a job once: its status, and its result when it has ended, since a failed job is COMPLETED too. Throws ProviderError for
 * a failed poll.
 */
export async function pollJob(
  get: (path: string) => Promise<UpstreamResponse>,
  paths: JobPaths,
): Promise<JobProgress<JobImages>> {
  const response = await get(`${paths.status}?logs=0`);
  const value = response.json?.value;
  if (response.status === 404) {
    return { ...toFailed('unknown', 'fal does not know the job'), mayChange: 'while-new' };
  }
  if (!isSuccess(response.status)) {
    throw toProviderError({ ...response, value });
  }
  const { status: state } = readShape(stateSchema, value, { upstream: 'fal' });
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
  if (status === 404 && NO_ENDPOINT.test(parseErrorDetails(response).text)) {
    return { kind: 'failed', error: toProviderError(response) };
  }
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
    return parseImages(json);
  }
  if (isErrorOfModel(response)) {
    return { kind: 'failed', error: toProviderError(response) };
  }
  if (parseErrorDetails(poll).type !== '') {
    return { kind: 'failed', error: toProviderError({ ...poll, status: 500 }) };
  }
  throw toProviderError(response);
}

/** Parses a result: images by their URLs, which may be data URLs, and which of them the safety checker has blacked out. */
function parseImages(json: DecodedJson): JobProgress<JobImages> {
  const { image, seed, ...result } = readLoosely(resultSchema, json.value);
  const { images = image === undefined ? image : [image] } = result;
  const read = checkShape(imagesSchema, { images }, { upstream: 'fal' });
  if (read.error !== null) {
    return { kind: 'failed', error: read.error };
  }
  const urls = read.body.images.map(({ url }) => url);
  if (urls.length === 0) {
    return toFailed('no-image', 'fal answered an empty list of images');
  }
  const flags = result.has_nsfw_concepts ?? result.nsfw_content_detected;
  const errors = (Array.isArray(flags) ? flags : [flags]).map((flag) =>
    flag === true ? new ProviderError('moderation', 'fal has blacked out an image') : null,
  );
  // Of all images together, from which nobody knows the seed of a second.
  const isSingle = urls.length === 1 && seed !== undefined;
  const revisedPrompt = result.actual_prompt ?? result.revised_prompt ?? result.prompt;
  const said = urls.map(() => ({ ...(isSingle && { seed }), revisedPrompt }));
  return { kind: 'done', result: { urls, json, said, errors } };
}

/** Returns true for a result that is not ready. Sources differ about it: 202, or 400 with a plain text. */
function isTooEarly(response: FalResponse): boolean {
  return response.status === 202 || (response.status === 400 && parseErrorDetails(response).type === '');
}

function isErrorOfModel(response: FalResponse): boolean {
  const hasModelHeader = MODEL_HEADERS.some((name) => response.headers[name] !== undefined);
  return response.status === 422 || parseErrorDetails(response).type !== '' || hasModelHeader;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function toFailed(failure: 'unknown' | 'no-image', message: string) {
  return { kind: 'failed', error: new ProviderError(failure, message) } as const;
}

/**
 * Returns the paths of the URLs in the response to a submission. Hosts are left out, so that the key is never sent to
 * another origin. A missing or invalid URL is replaced by the usual path of owner and app.
 */
export function parsePaths(response: unknown, submission: Submission): JobPaths {
  const given = readLoosely(urlsSchema, response);
  const usual = buildUsualPaths(submission);
  return {
    status: parsePath(given.status_url, submission) ?? usual.status,
    result: parsePath(given.response_url, submission) ?? usual.result,
    cancel: parsePath(given.cancel_url, submission) ?? usual.cancel,
  };
}

/** Parses the saved paths of a job; a missing or invalid one is replaced by the usual path. */
export function parseHandle({ id, handle }: ProviderJob, model: string): JobPaths {
  const usual = buildUsualPaths({ id, model });
  const saved = readLoosely(handleSchema, handle === null ? null : parseJson(handle));
  const read = (name: keyof JobPaths): string => (/^\/[^/\\]/.test(saved[name]) ? saved[name] : usual[name]);
  return { status: read('status'), result: read('result'), cancel: read('cancel') };
}

/** Builds the usual paths, which contain owner and app only. The rest of the model, such as `/edit`, is dropped, as in fal's own client. */
function buildUsualPaths({ id, model }: Pick<Submission, 'id' | 'model'>): JobPaths {
  const [owner = '', app = ''] = model.split('/');
  const job = `/${owner}/${app}/requests/${id}`;
  return { status: `${job}/status`, result: job, cancel: `${job}/cancel` };
}

function parsePath(url: string, { id, basePath }: Submission): string | null {
  if (url.length > MAX_URL_CHARACTERS || !URL.canParse(url)) {
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
