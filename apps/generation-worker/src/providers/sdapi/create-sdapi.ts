import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { Upstream } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import { asRecord } from '../http/json-decoder.js';
import type { ImageProvider } from '../port.js';
import { buildRequest } from './build-request.js';
import { parseResponse, toProviderError } from './parse-response.js';

/** Timeout of a call, in milliseconds. */
export interface SdapiTimes {
  readonly timeoutMs: number;
}

// A private graphics card may have a queue, and may have to load the checkpoint first.
const TIMES: SdapiTimes = { timeoutMs: 600_000 };

/** Creates the adapter for Stable Diffusion web UIs (`/sdapi/v1`). */
export function createSdapi(
  { upstream }: { readonly upstream: Upstream },
  { timeoutMs }: SdapiTimes = TIMES,
): ImageProvider {
  return {
    name: 'sdapi',
    upstream: true,
    asynchronous: false,
    // The proxy in front of it has no models.
    limitsAccount: true,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const { path, body } = await buildRequest(request);
      const headers = {
        'content-type': 'application/json',
        ...(key !== null && UPSTREAMS.sdapi.authorize(key.secret)),
      };
      const call = { method: 'POST', path, headers, timeoutMs: request.timeoutMs ?? timeoutMs } as const;
      const response = await upstream.call({ ...call, body: await encodeJson(body), isPaid: true }, scope);
      const { status, json } = response;
      if (status < 200 || status > 299) {
        throw toProviderError(response, key);
      }
      if (json === null) {
        throw new ProviderError('bad-response', `the web UI answered ${status} without JSON`);
      }
      const images = parseResponse(json.value, asRecord(body.override_settings)?.sd_model_checkpoint);
      if (images.urls.length === 0) {
        throw new ProviderError('no-image', 'the web UI answered without an image');
      }
      yield* deliverImages({ ...images, json }, { upstream, slots }, scope);
    },
  };
}
