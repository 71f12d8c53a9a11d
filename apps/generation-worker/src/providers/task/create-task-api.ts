import {
  createTaskAuthorization,
  readJsonPath,
  resolveTaskApi,
  type TaskApi,
  type TaskSettings,
} from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { FAILURE_TRAITS, ProviderError, type ProviderFailure } from '../failures.js';
import { followJob, JOB_PACE, type JobPace, pollJob, submitJob } from '../follow-job.js';
import type { Upstream } from '../http/create-upstream.js';
import { appendImage, encodeForm } from '../http/encode-form.js';
import { type Embedded, encodeJson, toDataUrl } from '../http/encode-json.js';
import type { CallScope, ImageProvider, InputImage, ProviderKey, ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';
import { parseCancellation, parsePoll, parseSubmission, type TaskResult } from './parse-response.js';
import { toProviderError } from './to-provider-error.js';

/** Timeouts and pace for task APIs, in milliseconds. */
export interface TaskTimes {
  /** Its expiry leaves the outcome unknown, and a body may contain nine images. */
  readonly submitTimeoutMs: number;
  readonly uploadTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly pace: JobPace;
}

const TIMES: TaskTimes = {
  submitTimeoutMs: 60_000,
  uploadTimeoutMs: 60_000,
  callTimeoutMs: 30_000,
  pace: { ...JOB_PACE, maxPollMs: 5_000 },
};
/** Handle of a job that was perhaps not accepted yet; its id is that of our own call. */
const UNSENT = 'unsent';
/** Failures of a repeated submission that say nothing about the first one. */
const OPEN: ReadonlySet<ProviderFailure> = new Set([
  'unknown',
  'transport',
  'rate-limit',
  'overload',
  'upstream-error',
  'timeout',
]);

/** Creates the adapter for an API of asynchronous tasks that a document describes. */
export function createTaskApi(
  { upstream, settings }: { readonly upstream: Upstream; readonly settings: TaskSettings },
  times: Partial<TaskTimes> = {},
): ImageProvider {
  const { submitTimeoutMs, uploadTimeoutMs, callTimeoutMs, pace } = { ...TIMES, ...times };
  const api = resolveTaskApi(settings);
  if (api === null) {
    throw new Error('the document describes no task API');
  }
  const toHeaders = createTaskAuthorization(settings);
  const authorize = (key: ProviderKey | null) => (key === null ? {} : toHeaders(key.secret));
  const send = createImageSender(upstream, api, { authorize, timeoutMs: uploadTimeoutMs });

  const submit = async ({ inputs, ...rest }: ProviderRequest, scope: CallScope): Promise<string> => {
    const { key } = rest;
    const images: (Embedded | string)[] = [];
    for (const input of inputs) {
      images.push(await send(input, key, scope));
    }
    const { mask } = rest.fields;
    const sent = { inputs: images, ...(mask && { mask: await send(mask, key, scope) }) };
    const { path, headers, body } = buildRequest(api, rest, sent);
    const submission = {
      path,
      headers: { ...authorize(key), 'content-type': 'application/json', ...headers },
      body: await encodeJson(body),
      timeoutMs: submitTimeoutMs,
    };
    return parseSubmission(api, await submitJob(upstream, submission, scope), key);
  };

  return {
    name: 'task',
    upstream: true,
    asynchronous: api.idempotent !== true,
    recordsFirst: api.idempotent === true,
    limitsAccount: true,
    isUnsent: ({ handle }) => handle === UNSENT,
    generate: async function* (request, scope) {
      const { key, slots, callId } = request;
      const { job } = request;
      const isResumed = job !== null && job.handle !== UNSENT;
      let id = isResumed ? job.id : '';
      if (!isResumed) {
        if (api.idempotent === true && job === null) {
          // Recorded before anything is sent: a resumed call is sent again under the same id.
          yield { type: 'job', id: callId, handle: UNSENT };
        }
        try {
          id = await submit(request, scope);
        } catch (error) {
          scope.signal.throwIfAborted();
          const isRepeated = job !== null;
          if (api.idempotent === true && isOpen(error, isRepeated)) {
            yield { type: 'park', delayMs: Math.max(pace.parkMs, error.retryAfterMs ?? 0), error };
            return;
          }
          throw isRepeated ? toOutcomeOfRepetition(error) : error;
        }
        yield { type: 'job', id, handle: null };
      }
      const poll = {
        path: fillId(api.poll.path, id),
        headers: authorize(key),
        timeoutMs: callTimeoutMs,
      };
      // Only the API itself gets the key.
      const headersFor = (url: string) => (url.startsWith(`${upstream.baseUrl}/`) ? authorize(key) : {});
      const collect = async function* ({ costMicros, ...images }: TaskResult) {
        if (costMicros !== null) {
          yield { type: 'cost', micros: costMicros } as const;
        }
        yield* deliverImages(images, { upstream, slots, headersFor }, scope);
      };
      yield* followJob(
        {
          poll: () => pollJob(upstream, poll, scope, (response) => parsePoll(api, response, { id, key })),
          collect,
          isNew: !isResumed,
          ageMs: scope.ageMs ?? 0,
          signal: scope.signal,
        },
        pace,
      );
    },
    ...(api.cancel && {
      cancel: createCancel(upstream, api, api.cancel, { authorize, timeoutMs: callTimeoutMs }),
    }),
  };
}

interface Terms {
  readonly authorize: (key: ProviderKey | null) => Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

function createCancel(
  upstream: Upstream,
  api: TaskApi,
  { method, path }: NonNullable<TaskApi['cancel']>,
  { authorize, timeoutMs }: Terms,
): NonNullable<ImageProvider['cancel']> {
  return async ({ id, handle, key }, scope) => {
    if (handle === UNSENT) {
      return false;
    }
    const call = {
      method,
      path: fillId(path, id),
      headers: authorize(key),
      timeoutMs,
      isPaid: false,
    } as const;
    return parseCancellation(api, await upstream.call(call, scope), key);
  };
}

/** Creates what turns an image into its value in a submission: a data URL, or the URL of an upload. */
function createImageSender(
  upstream: Upstream,
  api: TaskApi,
  { authorize, timeoutMs }: Terms,
): (input: InputImage, key: ProviderKey | null, scope: CallScope) => Promise<Embedded | string> {
  const { upload } = api.inputs ?? {};
  if (!upload) {
    return (input) => Promise.resolve(toDataUrl(input));
  }
  const { path, field, url, fields = {}, at } = upload;
  const baseUrl = at?.host === new URL(upstream.baseUrl).host ? at.base : undefined;
  return async (input, key, scope) => {
    const form = new FormData();
    appendImage(form, { field, name: 'input', input });
    for (const [name, value] of Object.entries(fields)) {
      form.append(name, value);
    }
    const { contentType, bytes: body } = await encodeForm(form);
    const headers = { ...authorize(key), 'content-type': contentType };
    const call = { method: 'POST', path, headers, body, timeoutMs, isPaid: false, baseUrl } as const;
    const response = await upstream.call(call, scope);
    const [sent] = readJsonPath(response.json?.value, url);
    if (response.status <= 299 && typeof sent === 'string' && /^https?:/.test(sent) && URL.canParse(sent)) {
      return sent;
    }
    throw response.status <= 299
      ? new ProviderError('bad-response', 'the task API accepted a file and gave no URL for it')
      : toProviderError(api, response, key);
  };
}

function isOpen(error: unknown, isRepeated: boolean): error is ProviderError {
  if (!(error instanceof ProviderError)) {
    return false;
  }
  return isRepeated ? OPEN.has(error.failure) : error.failure === 'unknown';
}

/** A repetition that is refused, such as for its key, says nothing about the submission before it: no other call may follow. */
function toOutcomeOfRepetition(error: unknown): unknown {
  return error instanceof ProviderError && FAILURE_TRAITS[error.failure].finalAfter !== 1
    ? new ProviderError('unknown', `a repeated submission was refused: ${error.message}`, { cause: error })
    : error;
}

function fillId(path: string, id: string): string {
  return path.replaceAll('{id}', encodeURIComponent(id));
}
