import { type TokenRequest, UPSTREAMS } from '@image-gateway/shared/upstreams';
import { ProviderError } from '../failures.js';
import type { Upstream } from '../http/create-upstream.js';
import { getFailureByStatus, quoteUpstream } from '../http/error-response.js';
import { COUNT, loose, NEEDED_TEXT, needed, readLoosely, readShape, TEXT } from '../http/read-shape.js';
import type { CallScope, ImageProvider, ProviderKey } from '../port.js';
import { createGemini, type GeminiTimes } from './create-gemini.js';

const tokenSchema = needed({ access_token: NEEDED_TEXT, expires_in: COUNT });
const refusalSchema = loose({ error: TEXT, error_description: TEXT });
const TOKEN_TIMEOUT_MS = 30_000;
const SECOND_MS = 1_000;
/** A token is not used in the last minutes of its life. */
const MARGIN_MS = 5 * 60_000;

/** Creates the adapter for Gemini's models on Vertex AI, with tokens of a service account or an API key of express mode. */
export function createVertex(
  { upstream }: { readonly upstream: Upstream },
  times?: GeminiTimes,
): ImageProvider {
  const tokens = createTokens(upstream);
  return createGemini(
    {
      upstream,
      name: 'vertex',
      folder: '/publishers/google',
      authorize: async (key, scope) => {
        const token = await tokens(key, scope);
        return token === null ? UPSTREAMS.vertex.authorize(key.secret) : { authorization: `Bearer ${token}` };
      },
    },
    times,
  );
}

/** Creates the cache of tokens by key; calls at the same time share a request. */
function createTokens(upstream: Upstream): (key: ProviderKey, scope: CallScope) => Promise<string | null> {
  const known = new Map<string, { readonly token: Promise<string>; until: number }>();
  return async (key, scope) => {
    const request = UPSTREAMS.vertex.createTokenRequest(key.secret);
    if (request === null) {
      return null;
    }
    const cached = known.get(key.fingerprint);
    if (cached && cached.until > Date.now()) {
      return cached.token;
    }
    const entry = { until: Date.now() + TOKEN_TIMEOUT_MS, token: fetchToken(request) };
    known.set(key.fingerprint, entry);
    try {
      return await entry.token;
    } catch (error) {
      known.delete(key.fingerprint);
      throw error;
    }

    async function fetchToken({ url, body }: TokenRequest): Promise<string> {
      const { origin, pathname } = new URL(url);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const call = {
        method: 'POST',
        baseUrl: origin,
        path: pathname,
        headers,
        timeoutMs: TOKEN_TIMEOUT_MS,
      } as const;
      // Of its own time: other calls may wait for the same token.
      const own = { ...scope, signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS) };
      const { status, json } = await upstream.call({ ...call, body: Buffer.from(body), isPaid: false }, own);
      if (status < 200 || status > 299) {
        const { error, error_description: text } = readLoosely(refusalSchema, json?.value);
        const isOurs = status === 400 || status === 401;
        const message = `Google gives no token (${status}): ${quoteUpstream(`${error} ${text}`, key)}`;
        throw new ProviderError(isOurs ? 'auth' : getFailureByStatus(status), message);
      }
      const { access_token: token, expires_in: seconds } = readShape(tokenSchema, json?.value, {
        upstream: 'Google',
      });
      entry.until = Date.now() + Math.max(0, seconds * SECOND_MS - MARGIN_MS);
      return token;
    }
  };
}
