import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { ProviderError } from '../errors.js';
import type { Upstream, UpstreamResponse } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import { parseRetryAfter } from '../http/retry-after-of.js';
import type { ImageProvider, ProviderKey } from '../port.js';
import { quoteUpstream } from '../quote-upstream.js';
import { failureOf } from './failure-of.js';
import { readAnswer } from './read-answer.js';
import { readFault } from './read-fault.js';
import { requestOf } from './request-of.js';

/** How long a call may take, in milliseconds. */
export interface OpenRouterTimes {
  readonly timeoutMs: number;
}

const TIMES: OpenRouterTimes = { timeoutMs: 240_000 };
const GENERATION_ID = 'x-generation-id';

/** Makes the adapter for `POST /images` of OpenRouter. */
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
      const answer = await upstream.call(
        {
          method: 'POST',
          path: '/images',
          headers: {
            'content-type': 'application/json',
            'x-openrouter-title': 'image-gateway',
            ...(key !== null && UPSTREAMS.openrouter.authorize(key.secret)),
          },
          body: await encodeJson(requestOf(request)),
          timeoutMs,
          paid: true,
        },
        scope,
      );
      const { status, headers, json } = answer;
      const upstreamId = headers[GENERATION_ID] ?? null;
      // Errors come with status 200 too.
      const good = status >= 200 && status <= 299 && json !== null && readFault(json.value) === null;
      if (!good) throw refusalOf(answer, key);
      const { pictures, filtered, costMicros } = readAnswer(json.value);
      if (upstreamId !== null) yield { type: 'upstream-id', id: upstreamId };
      if (costMicros !== null) yield { type: 'cost', micros: costMicros };
      if (filtered) {
        throw new ProviderError('moderation', 'OpenRouter: the content was filtered', { upstreamId });
      }
      if (pictures.length === 0) {
        throw new ProviderError('no-image', 'OpenRouter answered without a picture', { upstreamId });
      }
      for (const [index, picture] of pictures.slice(0, slots.length).entries()) {
        yield { type: 'image', bytes: await json.decodeBytes(picture), slot: slots[index] ?? 0 };
      }
    },
  };
}

function refusalOf({ status, headers, json }: UpstreamResponse, key: ProviderKey | null): ProviderError {
  const fault = readFault(json?.value);
  const words = `${fault?.keys.join(' ') ?? ''}: ${fault?.message ?? ''}`;
  return new ProviderError(
    failureOf(status, fault),
    `OpenRouter answered ${status} ${quoteUpstream(words, key)}`,
    {
      retryAfterMs: fault?.retryAfterMs ?? parseRetryAfter(headers),
      upstreamId: headers[GENERATION_ID] ?? null,
    },
  );
}
