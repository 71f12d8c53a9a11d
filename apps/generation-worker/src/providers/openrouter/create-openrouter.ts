import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { ProviderError } from '../failures.js';
import type { Upstream } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import type { ImageProvider } from '../port.js';
import { buildRequest } from './build-request.js';
import { parseResponse } from './parse-response.js';
import { GENERATION_ID, parseErrorDetails, toProviderError } from './to-provider-error.js';

/** Timeout of a call, in milliseconds. */
export interface OpenRouterTimes {
  readonly timeoutMs: number;
}

const TIMES: OpenRouterTimes = { timeoutMs: 240_000 };

/** Creates the adapter for `POST /images` of OpenRouter. */
export function createOpenRouter(
  { upstream }: { readonly upstream: Upstream },
  { timeoutMs }: OpenRouterTimes = TIMES,
): ImageProvider {
  return {
    name: 'openrouter',
    upstream: true,
    asynchronous: false,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const response = await upstream.call(
        {
          method: 'POST',
          path: '/images',
          headers: {
            'content-type': 'application/json',
            'x-openrouter-title': 'image-gateway',
            ...(key !== null && UPSTREAMS.openrouter.authorize(key.secret)),
          },
          body: await encodeJson(buildRequest(request)),
          timeoutMs: request.timeoutMs ?? timeoutMs,
          isPaid: true,
        },
        scope,
      );
      const { status, headers, json } = response;
      const upstreamId = headers[GENERATION_ID];
      // Errors have status 200 too.
      const isSuccess =
        status >= 200 && status <= 299 && json !== null && parseErrorDetails(json.value) === null;
      if (!isSuccess) {
        throw toProviderError(response, key);
      }
      const { images, isFiltered, costMicros } = parseResponse(json.value);
      yield { type: 'upstream-id', id: upstreamId };
      if (costMicros !== null) {
        yield { type: 'cost', micros: costMicros };
      }
      if (isFiltered) {
        throw new ProviderError('moderation', 'OpenRouter: the content was filtered', { upstreamId });
      }
      if (images.length === 0) {
        throw new ProviderError('no-image', 'OpenRouter answered without an image', { upstreamId });
      }
      for (const [index, image] of images.slice(0, slots.length).entries()) {
        yield { type: 'image', bytes: await json.decodeBytes(image), slot: slots[index] ?? 0 };
      }
    },
  };
}
