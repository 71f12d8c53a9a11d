import { UPSTREAMS } from '@image-gateway/shared/upstreams';
import { deliverImages } from '../deliver-images.js';
import { ProviderError } from '../errors.js';
import type { Upstream, UpstreamResponse } from '../http/create-upstream.js';
import { parseRetryAfter } from '../http/retry-after-of.js';
import type { ImageProvider, ProviderKey } from '../port.js';
import { quoteUpstream } from '../quote-upstream.js';
import { bodyOf } from './body-of.js';
import { dialectOf, type OpenaiDialect } from './dialect-of.js';
import { downloadPatiently } from './download-patiently.js';
import { failureOf } from './failure-of.js';
import { readAnswer } from './read-answer.js';
import { readFault } from './read-fault.js';
import { requestOf } from './request-of.js';

/** How long things may take, in milliseconds. */
export interface OpenaiTimes {
  readonly timeoutMs: Readonly<Record<OpenaiDialect, number>>;
  /** Between the tries of a download. */
  readonly downloadPausesMs: readonly number[];
}

// A graphics card of one's own may have others to serve first.
const TIMES: OpenaiTimes = {
  timeoutMs: { openai: 240_000, compatible: 600_000 },
  downloadPausesMs: [500, 1_500],
};
const REQUEST_ID = 'x-request-id';

/** Makes the adapter for OpenAI's images and for servers of that protocol; `dialect` is the one of the address, which a route's options may change. */
export function createOpenai(
  { upstream, dialect: ofAddress }: { readonly upstream: Upstream; readonly dialect: OpenaiDialect },
  { timeoutMs, downloadPausesMs }: OpenaiTimes = TIMES,
): ImageProvider {
  const download = downloadPatiently(upstream, downloadPausesMs);
  const { origin } = new URL(upstream.baseUrl);
  return {
    name: 'openai',
    upstream: true,
    asynchronous: false,
    generate: async function* (request, scope) {
      const { key, slots } = request;
      const dialect = dialectOf(ofAddress, request);
      const asked = requestOf(request, dialect);
      const { contentType, bytes } = await bodyOf(asked);
      const authorization = key === null ? {} : UPSTREAMS.openai.authorize(key.secret);
      const answer = await upstream.call(
        {
          method: 'POST',
          path: asked.path,
          headers: { 'content-type': contentType, ...authorization },
          body: bytes,
          timeoutMs: timeoutMs[dialect],
          paid: true,
        },
        scope,
      );
      const { status, headers, json } = answer;
      if (status < 200 || status > 299) throw refusalOf(answer, key);
      const upstreamId = headers[REQUEST_ID] ?? null;
      const urls = json === null ? null : readAnswer(json.value, upstream.baseUrl);
      if (json === null || urls === null) {
        throw new ProviderError('bad-response', `OpenAI answered ${status} without a list of pictures`, {
          upstreamId,
        });
      }
      if (upstreamId !== null) yield { type: 'upstream-id', id: upstreamId };
      if (urls.length === 0) {
        throw new ProviderError('no-image', 'OpenAI answered without a picture', { upstreamId });
      }
      // A server that asks for a key may ask for it at its files too; nobody else gets it.
      const headersFor = (url: string) => (originOf(url) === origin ? authorization : {});
      yield* deliverImages({ urls, json }, { upstream: { download }, slots, headersFor }, scope);
    },
  };
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

function refusalOf({ status, headers, json }: UpstreamResponse, key: ProviderKey | null): ProviderError {
  const fault = readFault(json?.value);
  const words = [fault.code || fault.type, fault.param, fault.message]
    .filter((text) => text !== '')
    .join(', ');
  return new ProviderError(
    failureOf(status, fault),
    `OpenAI answered ${status}: ${quoteUpstream(words, key)}`,
    {
      retryAfterMs: parseRetryAfter(headers) ?? fault.retryAfterMs,
      upstreamId: headers[REQUEST_ID] ?? null,
    },
  );
}
