import type { LandscapeSizes } from '@image-gateway/shared/contract';
import { isFirstQwen, UPSTREAMS } from '@image-gateway/shared/upstreams';
import { computeSize } from '../compute-size.js';
import { deliverImages, withDownloadRetries } from '../deliver-images.js';
import { ProviderError } from '../failures.js';
import type { Upstream } from '../http/create-upstream.js';
import { encodeJson, foldPrompt, toDataUrl } from '../http/encode-json.js';
import type { JsonRecord } from '../http/json-decoder.js';
import { chooseModel, mergeFields } from '../merge-fields.js';
import type { ImageProvider, ProviderRequest } from '../port.js';
import { switchRewriting } from '../switch-rewriting.js';
import { parseResponse, toProviderError } from './parse-response.js';

/** Timeout of a call and pauses between the tries of a download, in milliseconds. */
export interface DashscopeTimes {
  readonly timeoutMs: number;
  readonly downloadPausesMs?: readonly number[];
}

// At most 2048 by 2048 pixels: there is no 4k.
const SIZES: LandscapeSizes = { '1k': [1376, 768], '2k': [2688, 1536], '4k': [2688, 1536] };
/** Sizes of the first models, which draw no others. */
const FIRST_SIZES: Readonly<Record<string, string>> = {
  '16:9': '1664*928',
  '4:3': '1472*1104',
  '1:1': '1328*1328',
  '3:4': '1104*1472',
  '9:16': '928*1664',
};
const TIMES: DashscopeTimes = { timeoutMs: 300_000 };

/** Creates the adapter for DashScope's synchronous images. */
export function createDashscope(
  { upstream }: { readonly upstream: Upstream },
  { timeoutMs, downloadPausesMs }: DashscopeTimes = TIMES,
): ImageProvider {
  const download = withDownloadRetries(upstream, downloadPausesMs);
  return {
    name: 'dashscope',
    upstream: true,
    asynchronous: false,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const call = {
        method: 'POST',
        path: '/services/aigc/multimodal-generation/generation',
        headers: {
          'content-type': 'application/json',
          ...(key !== null && UPSTREAMS.dashscope.authorize(key.secret)),
        },
        body: await encodeJson(buildRequest(request)),
        timeoutMs: request.timeoutMs ?? timeoutMs,
        isPaid: true,
      } as const;
      const response = await upstream.call(call, scope);
      const { status, json } = response;
      if (status < 200 || status > 299) {
        throw toProviderError(response, key);
      }
      if (json === null) {
        throw new ProviderError('bad-response', `DashScope answered ${status} without JSON`);
      }
      const { urls, upstreamId } = parseResponse(response, key);
      if (urls.length === 0) {
        throw new ProviderError('no-image', 'DashScope answered without an image', { upstreamId });
      }
      yield { type: 'upstream-id', id: upstreamId };
      yield* deliverImages({ urls, json }, { upstream: { download }, slots }, scope);
    },
  };
}

/** Builds the body of a request, which contains images as `Embedded`. Options of the route are `parameters`. */
export function buildRequest(request: ProviderRequest): JsonRecord {
  const { inputs, fields, options, aspectRatio, slots } = request;
  const model = chooseModel(request);
  const first = isFirstQwen(model) ? FIRST_SIZES[aspectRatio] : undefined;
  const size = request.size?.replace('x', '*') ?? first ?? computeSize(SIZES, request).join('*');
  const images = inputs.map((input) => ({ image: toDataUrl(input) }));
  return {
    model,
    input: { messages: [{ role: 'user', content: [...images, { text: foldPrompt(request) }] }] },
    parameters: mergeFields({
      defaults: { ...switchRewriting('dashscope', model, options), watermark: false, seed: fields.seed },
      options,
      asked: { size, n: slots.length },
      content: { negative_prompt: fields.negativePrompt },
    }),
  };
}
