import { readToken, type TokenRequest, type TokenStep, UPSTREAMS } from '@image-gateway/shared/upstreams';
import { ProviderError } from '../failures.js';
import type { Upstream, UpstreamResponse } from '../http/create-upstream.js';
import { judgeResponse, quoteUpstream } from '../http/error-response.js';
import { loose, readLoosely, TEXT } from '../http/read-shape.js';
import type { CallScope, ImageProvider, ProviderKey } from '../port.js';
import { createGemini, type GeminiTimes } from './create-gemini.js';

/** Connections of the adapter. */
export interface VertexParts {
  readonly upstream: Upstream;
  /** Way to the metadata server of the machine, which nothing but the request for a token goes. */
  readonly machine: Pick<Upstream, 'call'>;
}

const refusalSchema = loose({ error: TEXT, error_description: TEXT });
const imposterSchema = loose({ error: loose({ message: TEXT }) });
/** Statuses that refuse the account; the metadata server has none where 404. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404]);
const TOKEN_TIMEOUT_MS = 30_000;
/** A token is not used in the last minutes of its life. */
const MARGIN_MS = 5 * 60_000;

/** Creates the adapter for Gemini's models on Vertex AI, with tokens of an account or an API key of express mode. */
export function createVertex({ upstream, machine }: VertexParts, times?: GeminiTimes): ImageProvider {
  const tokens = createTokens({ upstream, machine });
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
function createTokens(parts: VertexParts): (key: ProviderKey, scope: CallScope) => Promise<string | null> {
  const known = new Map<string, { readonly token: Promise<string>; until: number }>();
  return async (key, scope) => {
    const steps = UPSTREAMS.vertex.createTokenSteps(key.secret);
    if (steps === null) {
      return null;
    }
    const cached = known.get(key.fingerprint);
    if (cached && cached.until > Date.now()) {
      return cached.token;
    }
    // Of its own time: other calls may wait for the same token.
    const own = { ...scope, signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS) };
    const entry = { until: Date.now() + TOKEN_TIMEOUT_MS, token: fetchToken() };
    known.set(key.fingerprint, entry);
    try {
      return await entry.token;
    } catch (error) {
      known.delete(key.fingerprint);
      throw error;
    }

    async function fetchToken(): Promise<string> {
      let token: string | null = null;
      for (const step of steps ?? []) {
        const given = readToken((await send(await prepare(step, token), key, own)).json?.value);
        if (given === null) {
          throw new ProviderError('bad-response', 'Google answered a request for a token without one');
        }
        token = given.token;
        entry.until = given.untilMs - MARGIN_MS;
      }
      return token ?? '';
    }
  };

  async function send(
    { url, body, method, headers, isMachine }: TokenRequest,
    key: ProviderKey,
    scope: CallScope,
  ): Promise<UpstreamResponse> {
    const { origin, pathname } = new URL(url);
    const call = { method, baseUrl: origin, path: pathname, headers, timeoutMs: TOKEN_TIMEOUT_MS } as const;
    const client = isMachine === true ? parts.machine : parts.upstream;
    const content = body === undefined ? {} : { body: Buffer.from(body) };
    const response = await client.call({ ...call, ...content, isPaid: false }, scope);
    const { status, json } = response;
    if (status < 200 || status > 299) {
      const { error, error_description: text } = readLoosely(refusalSchema, json?.value);
      const { message } = readLoosely(imposterSchema, json?.value).error;
      const said = quoteUpstream(`${error} ${text}${message}`, key);
      const failure = REFUSALS.has(status) ? 'auth' : judgeResponse(status);
      throw new ProviderError(failure, `Google gives no token (${status}): ${said}`);
    }
    return response;
  }
}

/** Prepares a request. Throws `auth` for an account that names no token of its own. */
async function prepare(step: TokenStep, token: string | null): Promise<TokenRequest> {
  try {
    return await step(token);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : 'the key is no account';
    throw new ProviderError('auth', message, { cause });
  }
}
