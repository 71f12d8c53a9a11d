import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { followJob, JOB_PACE, type JobPace } from '../follow-job.js';
import type { Upstream } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import type { CallScope, ImageProvider, ProviderJob, ProviderKey, ProviderRequest } from '../port.js';
import { submitJob } from '../submit-job.js';
import { canceledBy } from './canceled-by.js';
import { jobOf } from './job-of.js';
import { lookAtJob } from './look-at-job.js';
import { readHandle } from './read-handle.js';
import { requestOf } from './request-of.js';

/** How long things may take at fal, in milliseconds. */
export interface FalTimes {
  /** One that runs out leaves the outcome unknown, and a body may hold nine pictures. */
  readonly submitTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly pace: JobPace;
}

const TIMES: FalTimes = { submitTimeoutMs: 60_000, callTimeoutMs: 30_000, pace: JOB_PACE };
// How long a job may wait for its start; its queue would keep it for hours.
const START_TIMEOUT_SECONDS = 60;

/** Makes the adapter for the queue API of fal.ai. */
export function createFal(
  { upstream }: { readonly upstream: Upstream },
  { submitTimeoutMs, callTimeoutMs, pace }: FalTimes = TIMES,
): ImageProvider {
  const keyHeaders = (key: ProviderKey | null) => (key === null ? {} : UPSTREAMS.fal.authorize(key.secret));

  const submit = async (request: ProviderRequest, scope: CallScope): Promise<ProviderJob> => {
    const { model, body } = requestOf(request);
    const headers = {
      ...keyHeaders(request.key),
      'content-type': 'application/json',
      'x-fal-queue-priority': 'normal',
      'x-fal-request-timeout': String(START_TIMEOUT_SECONDS),
    };
    const submission = { path: `/${model}`, headers, body: await encodeJson(body) };
    const answer = await submitJob(upstream, { ...submission, timeoutMs: submitTimeoutMs }, scope);
    return jobOf(answer, { model, basePath: new URL(upstream.baseUrl).pathname.replace(/\/$/, '') });
  };

  return {
    name: 'fal',
    upstream: true,
    asynchronous: true,
    generate: async function* (request, scope) {
      const { model, key, slots } = request;
      const job = request.job ?? (await submit(request, scope));
      if (request.job === null) yield { type: 'job', ...job };
      const paths = readHandle(job, model);
      const get = (path: string) =>
        upstream.call(
          { method: 'GET', path, headers: keyHeaders(key), timeoutMs: callTimeoutMs, paid: false },
          scope,
        );
      yield* followJob(
        {
          look: () => lookAtJob(get, paths),
          collect: (pictures) => deliverImages(pictures, { upstream, slots }, scope),
          fresh: request.job === null,
          signal: scope.signal,
        },
        pace,
      );
    },
    cancel: async ({ model, key, ...job }, scope) => {
      const { cancel: path } = readHandle(job, model);
      const headers = keyHeaders(key);
      return canceledBy(
        await upstream.call({ method: 'PUT', path, headers, timeoutMs: callTimeoutMs, paid: false }, scope),
      );
    },
  };
}
