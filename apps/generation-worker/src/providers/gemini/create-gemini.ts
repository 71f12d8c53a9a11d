import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { ProviderError } from '../errors.js';
import type { Upstream, UpstreamResponse } from '../http/create-upstream.js';
import { encodeJson } from '../http/encode-json.js';
import { parseRetryAfter } from '../http/retry-after-of.js';
import type { ImageProvider, ProviderKey } from '../port.js';
import { quoteUpstream } from '../quote-upstream.js';
import { asRecord } from '../record-of.js';
import { failureOf } from './failure-of.js';
import { readAnswer } from './read-answer.js';
import { readFault } from './read-fault.js';
import { requestOf } from './request-of.js';

/** How long a call may take, in milliseconds. */
export interface GeminiTimes {
  readonly timeoutMs: number;
  /** For 4k. */
  readonly largeTimeoutMs: number;
}

const TIMES: GeminiTimes = { timeoutMs: 120_000, largeTimeoutMs: 180_000 };
// Its own time-out comes first, so that it says so instead of leaving the outcome unknown.
const SERVER_MARGIN_MS = 10_000;
const SECOND_MS = 1_000;

/** Makes the adapter for `generateContent` of the Gemini API: one picture a call. */
export function createGemini(
  { upstream }: { readonly upstream: Upstream },
  { timeoutMs, largeTimeoutMs }: GeminiTimes = TIMES,
): ImageProvider {
  return {
    name: 'gemini',
    upstream: true,
    asynchronous: false,
    generate: async function* (request, scope) {
      const { model, key, resolution, slots } = request;
      const allowedMs = resolution === '4k' ? largeTimeoutMs : timeoutMs;
      const serverSeconds = Math.max(1, Math.floor((allowedMs - SERVER_MARGIN_MS) / SECOND_MS));
      const answer = await upstream.call(
        {
          method: 'POST',
          path: `/models/${encodeURIComponent(model)}:generateContent`,
          headers: {
            'content-type': 'application/json',
            'x-server-timeout': String(serverSeconds),
            ...(key !== null && UPSTREAMS.gemini.authorize(key.secret)),
          },
          body: await encodeJson(requestOf(request)),
          timeoutMs: allowedMs,
          paid: true,
        },
        scope,
      );
      const { status, json } = answer;
      if (status < 200 || status > 299) throw refusalOf(answer, key);
      if (json === null) throw new ProviderError('bad-response', `Gemini answered ${status} without JSON`);
      const id = asRecord(json.value)?.responseId;
      const upstreamId = typeof id === 'string' ? id : null;
      const read = readAnswer(json.value);
      if (read.kind === 'failure') {
        throw new ProviderError(read.failure, `Gemini: ${quoteUpstream(read.text, key)}`, { upstreamId });
      }
      if (upstreamId !== null) yield { type: 'upstream-id', id: upstreamId };
      yield { type: 'image', bytes: await json.decodeBytes(read.data), slot: slots[0] ?? 0 };
    },
  };
}

function refusalOf({ status, headers, json }: UpstreamResponse, key: ProviderKey | null): ProviderError {
  const fault = readFault(json?.value);
  const failure = failureOf(status, fault);
  const text = quoteUpstream(fault.message, key);
  // A quota of the day says "in 12 seconds" too.
  const retryAfterMs = failure === 'quota' ? undefined : (fault.retryAfterMs ?? parseRetryAfter(headers));
  return new ProviderError(failure, `Gemini answered ${status} ${fault.status.slice(0, 40)}: ${text}`, {
    retryAfterMs,
  });
}
