import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { followJob, JOB_PACE, type JobPace } from '../follow-job.js';
import type { Upstream, UpstreamResponse } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import type { CallScope, ImageProvider, ProviderKey, ProviderRequest } from '../port.js';
import { submitJob } from '../submit-job.js';
import { canceledBy } from './canceled-by.js';
import type { FileForm } from './form-of.js';
import { type CreatedPrediction, jobOf } from './job-of.js';
import { lookAtPrediction } from './look-at-prediction.js';
import { placeInputs } from './place-inputs.js';
import { requestOf } from './request-of.js';

/** How long things may take at Replicate, in milliseconds. */
export interface ReplicateTimes {
  /** One that runs out leaves the outcome unknown. */
  readonly submitTimeoutMs: number;
  readonly uploadTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly pace: JobPace;
}

const TIMES: ReplicateTimes = {
  submitTimeoutMs: 60_000,
  uploadTimeoutMs: 60_000,
  callTimeoutMs: 30_000,
  pace: { ...JOB_PACE, maxPollMs: 5_000 },
};

/** Makes the adapter for the predictions of replicate.com. */
export function createReplicate(
  { upstream }: { readonly upstream: Upstream },
  { submitTimeoutMs, uploadTimeoutMs, callTimeoutMs, pace }: ReplicateTimes = TIMES,
): ImageProvider {
  const keyHeaders = (key: ProviderKey | null) =>
    key === null ? {} : UPSTREAMS.replicate.authorize(key.secret);

  const create = async (request: ProviderRequest, scope: CallScope): Promise<CreatedPrediction> => {
    const { inputs, ...rest } = request;
    const upload = ({ contentType, body }: FileForm): Promise<UpstreamResponse> => {
      const headers = { ...keyHeaders(request.key), 'content-type': contentType };
      const file = { method: 'POST', path: '/files', headers, body, timeoutMs: uploadTimeoutMs } as const;
      return upstream.call({ ...file, paid: false }, scope);
    };
    const { path, body } = requestOf(rest, await placeInputs(upload, inputs));
    const headers = { ...keyHeaders(request.key), 'content-type': 'application/json' };
    const submission = { path, headers, body: await encodeJson(body), timeoutMs: submitTimeoutMs };
    return jobOf(await submitJob(upstream, submission, scope));
  };

  return {
    name: 'replicate',
    upstream: true,
    asynchronous: true,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const headers = keyHeaders(key);
      const created = request.job === null ? await create(request, scope) : null;
      const id = request.job?.id ?? created?.id ?? '';
      if (created) yield { type: 'job', id, handle: null };
      const look = { method: 'GET', path: `/predictions/${id}`, headers, timeoutMs: callTimeoutMs } as const;
      // A file that lies on the API itself is given to whoever has the key, which must not travel to any other place.
      const headersFor = (url: string) => (url.startsWith(`${upstream.baseUrl}/`) ? headers : {});
      yield* followJob(
        {
          look: async () => lookAtPrediction(await upstream.call({ ...look, paid: false }, scope), id),
          collect: (pictures) => deliverImages(pictures, { upstream, slots, headersFor }, scope),
          known: created?.progress ?? null,
          fresh: created !== null,
          signal: scope.signal,
        },
        pace,
      );
    },
    cancel: async ({ id, key }, scope) => {
      const path = `/predictions/${id}/cancel`;
      const call = { method: 'POST', path, headers: keyHeaders(key), timeoutMs: callTimeoutMs } as const;
      return canceledBy(await upstream.call({ ...call, paid: false }, scope));
    },
  };
}
