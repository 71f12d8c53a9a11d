import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { drawWhiteMask } from '../draw-white-mask.js';
import { followJob, JOB_PACE, type JobPace, submitJob } from '../follow-job.js';
import type { Upstream } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import type { CallScope, ImageProvider, ProviderJob, ProviderKey, ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';
import { parseCancellation, parseHandle, parseJob, pollJob } from './parse-response.js';

/** Timeouts and pace for fal, in milliseconds. */
export interface FalTimes {
  /** Its expiry leaves the outcome unknown, and a body may contain nine images. */
  readonly submitTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly pace: JobPace;
}

const TIMES: FalTimes = { submitTimeoutMs: 60_000, callTimeoutMs: 30_000, pace: JOB_PACE };
// Longest wait of a job for its start; the queue would keep it for hours.
const START_TIMEOUT_SECONDS = 60;
const HOUR_MS = 3_600_000;
/** Time for the last download, and for clocks that differ. */
const MARGIN_MS = 60_000;
const SECOND_MS = 1_000;

/** Creates the adapter for the queue API of fal.ai. */
export function createFal(
  { upstream }: { readonly upstream: Upstream },
  times: Partial<FalTimes> = {},
): ImageProvider {
  const { submitTimeoutMs, callTimeoutMs, pace } = { ...TIMES, ...times };
  const authorize = (key: ProviderKey | null) => (key === null ? {} : UPSTREAMS.fal.authorize(key.secret));

  const submit = async (request: ProviderRequest, scope: CallScope): Promise<ProviderJob> => {
    const { mask } = request.fields;
    const { model, body } = buildRequest(request, mask && (await drawWhiteMask(mask)));
    const headers = {
      ...authorize(request.key),
      'content-type': 'application/json',
      'x-fal-queue-priority': 'normal',
      'x-fal-request-timeout': String(START_TIMEOUT_SECONDS),
      // Otherwise another endpoint may draw, and the response does not say so (docs.fal.ai, "Platform headers").
      'x-app-fal-disable-fallback': 'true',
      ...askToKeepLittle(scope),
    };
    const submission = { path: `/${model}`, headers, body: await encodeJson(body) };
    const response = await submitJob(upstream, { ...submission, timeoutMs: submitTimeoutMs }, scope);
    return parseJob(response, { model, basePath: new URL(upstream.baseUrl).pathname.replace(/\/$/, '') });
  };

  return {
    name: 'fal',
    upstream: true,
    asynchronous: true,
    limitsAccount: true,
    generate: async function* (request, scope) {
      const { model, key, slots } = request;
      const job = request.job ?? (await submit(request, scope));
      if (request.job === null) {
        yield { type: 'job', ...job };
      }
      const terms = { headers: authorize(key), timeoutMs: callTimeoutMs, isPaid: false };
      const get = (path: string) => upstream.call({ ...terms, method: 'GET', path }, scope);
      yield* followJob(
        {
          poll: () => pollJob(get, parseHandle(job, model)),
          collect: (images) => deliverImages(images, { upstream, slots }, scope),
          isNew: request.job === null,
          ageMs: scope.ageMs ?? 0,
          signal: scope.signal,
        },
        pace,
      );
    },
    cancel: async ({ model, key, ...job }, scope) => {
      const { cancel: path } = parseHandle(job, model);
      const terms = { headers: authorize(key), timeoutMs: callTimeoutMs, isPaid: false };
      return parseCancellation(await upstream.call({ ...terms, method: 'PUT', path }, scope));
    },
  };
}

/**
 * Returns headers without which fal keeps prompts and input images for 30 days, and images at public addresses without an end
 * (fal.ai/docs/documentation/model-apis/media-expiration). An image has to outlive the last poll of its job.
 */
function askToKeepLittle({ neededMs = HOUR_MS }: CallScope): Readonly<Record<string, string>> {
  const seconds = Math.ceil((Math.max(0, neededMs) + MARGIN_MS) / SECOND_MS);
  return {
    'x-fal-store-io': '0',
    'x-fal-object-lifecycle-preference': JSON.stringify({ expiration_duration_seconds: seconds }),
  };
}
