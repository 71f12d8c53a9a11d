import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages, type JobImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import { followJob, JOB_PACE, type JobPace, type JobProgress, submitJob } from '../follow-job.js';
import type { Upstream, UpstreamResponse } from '../http/create-upstream.js';
import { appendImage, encodeForm } from '../http/encode-form.js';
import { encodeJson } from '../http/encode-json.js';
import type { CallScope, ImageProvider, InputImage, ProviderKey, ProviderRequest } from '../port.js';
import { buildRequest, drawSeed } from './build-request.js';
import { isSuccess, parseCreated, parseHistory, parseQueue, parseUpload } from './parse-response.js';
import { toProviderError } from './to-provider-error.js';

/** Timeouts and pace for ComfyUI, in milliseconds. */
export interface ComfyuiTimes {
  /** Its expiry leaves the outcome unknown. */
  readonly submitTimeoutMs: number;
  readonly uploadTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly pace: JobPace;
}

/** Connection to a server, and its source of seeds. */
export interface ComfyuiParts {
  readonly upstream: Upstream;
  readonly drawSeed?: () => number;
}

const TIMES: ComfyuiTimes = {
  submitTimeoutMs: 60_000,
  uploadTimeoutMs: 60_000,
  callTimeoutMs: 30_000,
  pace: { ...JOB_PACE, maxPollMs: 5_000 },
};
const NAME_DIGITS = 32;

/** Creates the adapter for a ComfyUI server, which runs the workflow of the route. */
export function createComfyui(
  { upstream, drawSeed: seed = drawSeed }: ComfyuiParts,
  times: Partial<ComfyuiTimes> = {},
): ImageProvider {
  const { submitTimeoutMs, uploadTimeoutMs, callTimeoutMs, pace } = { ...TIMES, ...times };
  const authorize = (key: ProviderKey | null) =>
    key === null ? {} : UPSTREAMS.comfyui.authorize(key.secret);
  const get = (path: string, key: ProviderKey | null, scope: CallScope): Promise<UpstreamResponse> => {
    const headers = authorize(key);
    return upstream.call({ method: 'GET', path, headers, timeoutMs: callTimeoutMs, isPaid: false }, scope);
  };
  const post = async (
    { path, body, key }: { readonly path: string; readonly body: object; readonly key: ProviderKey | null },
    scope: CallScope,
  ): Promise<void> => {
    const headers = { ...authorize(key), 'content-type': 'application/json' };
    const call = { method: 'POST', path, headers, timeoutMs: callTimeoutMs, isPaid: false } as const;
    const response = await upstream.call({ ...call, body: await encodeJson(body) }, scope);
    if (!isSuccess(response)) {
      throw toProviderError({ response, call: 'cancellation', key });
    }
  };

  const find = async (id: string, key: ProviderKey | null, scope: CallScope) =>
    parseQueue(await get('/queue', key, scope), { id, key });

  /**
   * Uploads an image under the hash of its content. The server keeps one that is there: nothing is written over a file that
   * another workflow reads.
   */
  const upload = async (input: InputImage, key: ProviderKey | null, scope: CallScope): Promise<string> => {
    const hash = createHash('sha256').update(input.bytes).digest('hex').slice(0, NAME_DIGITS);
    const form = new FormData();
    appendImage(form, { field: 'image', name: `gateway-${hash}`, input });
    const { contentType, bytes } = await encodeForm(form);
    const headers = { ...authorize(key), 'content-type': contentType };
    const call = { method: 'POST', path: '/upload/image', headers, timeoutMs: uploadTimeoutMs } as const;
    return parseUpload(await upstream.call({ ...call, body: bytes, isPaid: false }, scope), key);
  };

  const create = async ({ inputs, ...rest }: ProviderRequest, scope: CallScope): Promise<string> => {
    const { key, model } = rest;
    const names: string[] = [];
    for (const input of inputs) {
      names.push(await upload(input, key, scope));
    }
    const body = await encodeJson(buildRequest(rest, names, seed()));
    const headers = { ...authorize(key), 'content-type': 'application/json' };
    const submission = { path: '/prompt', headers, body, timeoutMs: submitTimeoutMs };
    try {
      return parseCreated(await submitJob(upstream, submission, scope), key, model);
    } catch (error) {
      const isLost = error instanceof ProviderError && error.failure === 'unknown';
      if (isLost && (await isThere({ id: rest.callId, key }, scope))) {
        return rest.callId;
      }
      throw error;
    }
  };

  /**
   * Returns true if the server has the workflow of a lost answer under the id that the submission gave it. It is asked once:
   * without an answer the outcome stays unknown.
   */
  const isThere = async (
    { id, key }: { readonly id: string; readonly key: ProviderKey | null },
    scope: CallScope,
  ): Promise<boolean> => {
    await sleep(pace.firstPollMs, undefined, { signal: scope.signal });
    try {
      // It may end between the two requests, and the history comes last.
      return (
        (await find(id, key, scope)) !== null ||
        parseHistory(await get(`/history/${id}`, key, scope), { id, baseUrl: upstream.baseUrl, key }) !== null
      );
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!(error instanceof ProviderError)) {
        throw error;
      }
      return false;
    }
  };

  const poll = async (
    id: string,
    key: ProviderKey | null,
    scope: CallScope,
  ): Promise<JobProgress<JobImages>> => {
    const place = { id, baseUrl: upstream.baseUrl, key };
    const read = async () => parseHistory(await get(`/history/${id}`, key, scope), place);
    const ended = await read();
    if (ended !== null) {
      return ended;
    }
    if ((await find(id, key, scope)) !== null) {
      return { kind: 'pending' };
    }
    // It may have ended between the two requests.
    const message = 'ComfyUI does not know the workflow; it was restarted, or its queue was cleared';
    const error = new ProviderError('unknown', message, { upstreamId: id });
    return (await read()) ?? { kind: 'failed', error, mayChange: 'while-new' };
  };

  return {
    name: 'comfyui',
    upstream: true,
    asynchronous: true,
    limitsAccount: true,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const created = request.job === null ? await create(request, scope) : null;
      const id = request.job?.id ?? created ?? '';
      if (created !== null) {
        yield { type: 'job', id, handle: null };
      }
      // All files are on the server itself.
      const headersFor = () => authorize(key);
      yield* followJob(
        {
          poll: () => poll(id, key, scope),
          collect: (images) => deliverImages(images, { upstream, slots, headersFor }, scope),
          isNew: created !== null,
          ageMs: scope.ageMs ?? 0,
          signal: scope.signal,
        },
        pace,
      );
    },
    withdraw: async ({ id, key }, scope) => {
      if ((await find(id, key, scope)) !== 'pending') {
        return false;
      }
      // It may have begun meanwhile: then nothing is deleted.
      await post({ path: '/queue', body: { delete: [id] }, key }, scope);
      const place = { id, baseUrl: upstream.baseUrl, key };
      return (
        (await find(id, key, scope)) === null &&
        parseHistory(await get(`/history/${id}`, key, scope), place) === null
      );
    },
    cancel: async ({ id, key }, scope) => {
      let state = await find(id, key, scope);
      const isKnown = state !== null;
      if (state === 'pending') {
        await post({ path: '/queue', body: { delete: [id] }, key }, scope);
        // It begins as soon as the one before it ends, which another cancellation may just have ended.
        state = await find(id, key, scope);
      }
      if (state === 'running') {
        // Older servers stop whatever runs; one workflow runs at a time.
        await post({ path: '/interrupt', body: { prompt_id: id }, key }, scope);
      }
      if (state === 'pending') {
        throw new ProviderError('upstream-error', 'ComfyUI has not deleted the workflow', { upstreamId: id });
      }
      return isKnown;
    },
  };
}
