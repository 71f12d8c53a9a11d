import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { drawWhiteMask } from '../draw-white-mask.js';
import { followJob, JOB_PACE, type JobPace, pollJob, submitJob } from '../follow-job.js';
import type { Upstream, UpstreamResponse } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import type { CallScope, ImageProvider, ProviderKey, ProviderRequest } from '../port.js';
import { buildRequest } from './build-request.js';
import { type CreatedPrediction, parseCancellation, parseCreated, parsePoll } from './parse-response.js';
import { type FileForm, uploadInputs } from './upload-inputs.js';

/** Timeouts and pace for Replicate, in milliseconds. */
export interface ReplicateTimes {
  /** Its expiry leaves the outcome unknown. */
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

/** Creates the adapter for the predictions of replicate.com. */
export function createReplicate(
  { upstream }: { readonly upstream: Upstream },
  times: Partial<ReplicateTimes> = {},
): ImageProvider {
  const { submitTimeoutMs, uploadTimeoutMs, callTimeoutMs, pace } = { ...TIMES, ...times };
  const authorize = (key: ProviderKey | null) =>
    key === null ? {} : UPSTREAMS.replicate.authorize(key.secret);

  const create = async (request: ProviderRequest, scope: CallScope): Promise<CreatedPrediction> => {
    const { inputs, ...rest } = request;
    const upload = ({ contentType, body }: FileForm): Promise<UpstreamResponse> => {
      const headers = { ...authorize(request.key), 'content-type': contentType };
      const file = { method: 'POST', path: '/files', headers, body, timeoutMs: uploadTimeoutMs } as const;
      return upstream.call({ ...file, isPaid: false }, scope);
    };
    const { mask } = rest.fields;
    const files = [...inputs, ...(mask ? [await drawWhiteMask(mask)] : [])];
    const sent = await uploadInputs(upload, files);
    const { path, body } = buildRequest(rest, sent.slice(0, inputs.length), sent[inputs.length]);
    const headers = { ...authorize(request.key), 'content-type': 'application/json' };
    const submission = { path, headers, body: await encodeJson(body), timeoutMs: submitTimeoutMs };
    return parseCreated(await submitJob(upstream, submission, scope));
  };

  return {
    name: 'replicate',
    upstream: true,
    asynchronous: true,
    limitsAccount: true,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const headers = authorize(key);
      const created = request.job === null ? await create(request, scope) : null;
      const id = request.job?.id ?? created?.id ?? '';
      if (created) {
        yield { type: 'job', id, handle: null };
      }
      const poll = { path: `/predictions/${id}`, headers, timeoutMs: callTimeoutMs };
      // A file on the API itself requires the key, which must not be sent to any other host.
      const headersFor = (url: string) => (url.startsWith(`${upstream.baseUrl}/`) ? headers : {});
      yield* followJob(
        {
          poll: () => pollJob(upstream, poll, scope, (response) => parsePoll(response, id)),
          collect: (images) => deliverImages(images, { upstream, slots, headersFor }, scope),
          known: created?.progress ?? null,
          isNew: created !== null,
          ageMs: scope.ageMs ?? 0,
          signal: scope.signal,
        },
        pace,
      );
    },
    cancel: async ({ id, key }, scope) => {
      const path = `/predictions/${id}/cancel`;
      const call = { method: 'POST', path, headers: authorize(key), timeoutMs: callTimeoutMs } as const;
      return parseCancellation(await upstream.call({ ...call, isPaid: false }, scope));
    },
  };
}
