import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { ProviderError } from '../failures.js';
import type { Upstream } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import { chooseModel } from '../merge-fields.js';
import type { CallScope, ImageProvider, ProviderKey } from '../port.js';
import { buildRequest } from './build-request.js';
import { parseResponse, readUsage } from './parse-response.js';
import { toProviderError } from './to-provider-error.js';

/** Timeouts of a call, in milliseconds. */
export interface GeminiTimes {
  readonly timeoutMs: number;
  /** For 4k. */
  readonly largeTimeoutMs: number;
  /** For the tier `flex`, which takes one to fifteen minutes. */
  readonly flexTimeoutMs?: number;
}

const FLEX_TIMEOUT_MS = 900_000;
const TIMES: GeminiTimes = { timeoutMs: 120_000, largeTimeoutMs: 180_000 };
// The server's timeout comes first, so that it is reported instead of leaving the outcome unknown.
const SERVER_MARGIN_MS = 10_000;
const SECOND_MS = 1_000;

/** Vendor of `generateContent`. */
export interface GeminiVendor {
  readonly name?: string;
  /** Path before `/models`. */
  readonly folder?: string;
  /** Returns the headers of a key; throws ProviderError. */
  readonly authorize?: (key: ProviderKey, scope: CallScope) => Promise<Readonly<Record<string, string>>>;
}

const sendKey: NonNullable<GeminiVendor['authorize']> = ({ secret }) =>
  Promise.resolve(UPSTREAMS.gemini.authorize(secret));

/** Creates the adapter for `generateContent` of the Gemini API: one image per call. */
export function createGemini(
  {
    upstream,
    name = 'gemini',
    folder = '',
    authorize = sendKey,
  }: GeminiVendor & { readonly upstream: Upstream },
  { timeoutMs, largeTimeoutMs, flexTimeoutMs = FLEX_TIMEOUT_MS }: GeminiTimes = TIMES,
): ImageProvider {
  return {
    name,
    upstream: true,
    asynchronous: false,
    generate: async function* (request, scope) {
      const { key, resolution, slots, options } = request;
      const model = chooseModel(request);
      const isFlex = [options.service_tier, options.serviceTier].includes('flex');
      const usualMs = isFlex ? flexTimeoutMs : resolution === '4k' ? largeTimeoutMs : timeoutMs;
      const limitMs = request.timeoutMs ?? usualMs;
      const serverSeconds = Math.max(1, Math.floor((limitMs - SERVER_MARGIN_MS) / SECOND_MS));
      const authorization = key === null ? {} : await authorize(key, scope);
      const response = await upstream.call(
        {
          method: 'POST',
          path: `${folder}/models/${encodeURIComponent(model)}:generateContent`,
          headers: {
            'content-type': 'application/json',
            'x-server-timeout': String(serverSeconds),
            ...authorization,
          },
          body: await encodeJson(buildRequest(request)),
          timeoutMs: limitMs,
          isPaid: true,
        },
        scope,
      );
      const { status, json } = response;
      if (status < 200 || status > 299) {
        throw toProviderError(response, key);
      }
      if (json === null) {
        throw new ProviderError('bad-response', `Gemini answered ${status} without JSON`);
      }
      const { data, upstreamId } = parseResponse(json.value, key);
      yield { type: 'upstream-id', id: upstreamId };
      // A refused prompt costs nothing, whatever tokens it names.
      yield { type: 'usage', tokens: readUsage(json.value) };
      yield { type: 'image', bytes: await json.decodeBytes(data), slot: slots[0] ?? 0 };
    },
  };
}
