import { createVerify } from 'node:crypto';
import type { StubCall, StubProtocol, StubRequest } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { geminiError, geminiRefusal } from '../gemini/gemini-errors.js';
import { geminiProtocol } from '../gemini/gemini-protocol.js';
import { SERVICE_ACCOUNTS } from './service-accounts.js';

const TOKEN = '/token';
const LIFE_S = 3_600;
const PREFIX = /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\//;

/** Gemini's models on Vertex AI, and Google's tokens for service accounts. */
export const vertexProtocol: StubProtocol = {
  name: 'vertex',
  read: async (request) => {
    if (request.method === 'POST' && request.path === TOKEN) {
      return readTokenCall(request);
    }
    if (!PREFIX.test(request.path)) {
      return null;
    }
    const call = await geminiProtocol.read(toGemini(request));
    return call && { ...call, key: /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null };
  },
  wrongKey: ({ kind, body }) =>
    kind === 'check' && body === TOKEN
      ? { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
      : unauthenticated(),
  refuse: (refusal, call, behaviour) =>
    refusal === 'auth' ? unauthenticated() : geminiRefusal(refusal, call, behaviour),
  answer: (call, request, context) =>
    call.body === TOKEN
      ? Promise.resolve({
          status: 200,
          body: { access_token: call.key, expires_in: LIFE_S, token_type: 'Bearer' },
        })
      : geminiProtocol.answer(call, toGemini(request), context),
};

function toGemini(request: StubRequest): StubRequest {
  return { ...request, path: request.path.replace(PREFIX, '/v1beta/') };
}

/** The token of an account is its key in the stub. */
function readTokenCall({ body, origin }: StubRequest): StubCall {
  const assertion = new URLSearchParams(body.toString()).get('assertion') ?? '';
  const [header = '', claims = '', signature = ''] = assertion.split('.');
  const { iss, aud } = readClaims(claims);
  const account = SERVICE_ACCOUNTS.find(({ email }) => email === iss);
  const isSigned =
    account !== undefined &&
    aud === `${origin}${TOKEN}` &&
    createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(account.publicKey, signature, 'base64url');
  return {
    kind: 'check',
    key: isSigned ? account.key : null,
    model: null,
    prompt: null,
    asked: 0,
    job: null,
    body: TOKEN,
  };
}

function readClaims(claims: string): { readonly iss?: unknown; readonly aud?: unknown } {
  try {
    return JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: unknown; aud?: unknown };
  } catch {
    return {};
  }
}

function unauthenticated(): StubResponse {
  return geminiError(
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  );
}
