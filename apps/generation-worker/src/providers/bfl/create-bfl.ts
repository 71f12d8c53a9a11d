import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { drawWhiteMask } from '../draw-white-mask.js';
import { followJob, JOB_PACE, type JobPace, pollJob, submitJob } from '../follow-job.js';
import type { Upstream } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import type { CallScope, ImageProvider, ProviderJob, ProviderKey, ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';
import { parseCreated, parseHandle, parsePoll } from './parse-response.js';

/** Timeouts and pace, in milliseconds. */
export interface BflTimes {
  /** Its expiry leaves the outcome unknown, and a body may contain eight images. */
  readonly submitTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly pace: JobPace;
}

const TIMES: BflTimes = { submitTimeoutMs: 60_000, callTimeoutMs: 30_000, pace: JOB_PACE };

/** Creates the adapter for the API of Black Forest Labs: a job, one image. It has no request that cancels. */
export function createBfl(
  { upstream }: { readonly upstream: Upstream },
  times: Partial<BflTimes> = {},
): ImageProvider {
  const { submitTimeoutMs, callTimeoutMs, pace } = { ...TIMES, ...times };
  const authorize = (key: ProviderKey | null) => (key === null ? {} : UPSTREAMS.bfl.authorize(key.secret));

  const submit = async (request: ProviderRequest, scope: CallScope): Promise<ProviderJob> => {
    const { mask } = request.fields;
    const { path, body } = buildRequest(request, mask && (await drawWhiteMask(mask)));
    const headers = { ...authorize(request.key), 'content-type': 'application/json' };
    const submission = { path, headers, body: await encodeJson(body), timeoutMs: submitTimeoutMs };
    return parseCreated(await submitJob(upstream, submission, scope), request.key);
  };

  return {
    name: 'bfl',
    upstream: true,
    asynchronous: true,
    limitsAccount: true,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const job = request.job ?? (await submit(request, scope));
      if (request.job === null) {
        yield { type: 'job', ...job };
      }
      const { place, costMicros } = parseHandle(job, upstream.baseUrl);
      const poll = { ...place, headers: authorize(key), timeoutMs: callTimeoutMs };
      yield* followJob(
        {
          poll: () => pollJob(upstream, poll, scope, (response) => parsePoll(response, { job, key })),
          collect: async function* (images) {
            if (costMicros !== null) {
              yield { type: 'cost', micros: costMicros };
            }
            yield* deliverImages(images, { upstream, slots }, scope);
          },
          isNew: request.job === null,
          ageMs: scope.ageMs ?? 0,
          signal: scope.signal,
        },
        pace,
      );
    },
  };
}
