import { createVerify } from 'node:crypto';
import type { StubCall, StubProtocol, StubRequest } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import { geminiError, geminiRefusal } from '../gemini/gemini-errors.js';
import { geminiProtocol } from '../gemini/gemini-protocol.js';
import { SERVICE_ACCOUNTS } from './service-accounts.js';

const TOKEN = '/token';
const MACHINE = '/computeMetadata/v1/instance/service-accounts/default/token';
const EXCHANGE = '/v1/token';
const IMPERSONATION =
  '/v1/projects/-/serviceAccounts/stub-1@stub.iam.gserviceaccount.com:generateAccessToken';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SECOND_MS = 1_000;

/** Token of a workload outside of Google, and the one that Google gives for it. */
export const FEDERATED = { subject: 'stub-subject', token: 'stub-federated' } as const;
const LIFE_S = 3_600;
const PREFIX = /^\/v1\/(projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\//;
const COUNT = /^\/v1\/publishers\/google\/models\/[^/]+:countTokens$/;

/** Gemini's models on Vertex AI, and Google's tokens for service accounts. */
export const vertexProtocol: StubProtocol = {
  name: 'vertex',
  read: async (request) => {
    const token = readIdentityCall(request) ?? readTokenCall(request);
    if (token !== null) {
      return token;
    }
    if (!PREFIX.test(request.path)) {
      return null;
    }
    const { authorization = '', 'x-goog-api-key': express } = request.headers;
    const key = /^Bearer (.+)$/.exec(authorization)?.[1] ?? express ?? null;
    if (request.method === 'POST' && COUNT.test(request.path)) {
      return { kind: 'check', key, model: null, prompt: null, asked: 0, job: null, body: COUNT };
    }
    const call = await geminiProtocol.read(toGemini(request));
    return call && { ...call, key };
  },
  wrongKey: ({ kind, body }) =>
    kind === 'check' && body === MACHINE
      ? {
          status: 403,
          headers: { 'content-type': 'text/html' },
          body: Buffer.from('Missing Metadata-Flavor'),
        }
      : kind === 'check' && typeof body === 'string'
        ? { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
        : unauthenticated(),
  refuse: (refusal, call, behaviour) =>
    refusal === 'auth' ? unauthenticated() : geminiRefusal(refusal, call, behaviour),
  answer: (call, request, context) =>
    call.body === COUNT
      ? Promise.resolve({ status: 200, body: { totalTokens: 3 } })
      : typeof call.body === 'string'
        ? Promise.resolve({ status: 200, body: buildToken(call) })
        : geminiProtocol.answer(call, toGemini(request), context),
};

function toGemini(request: StubRequest): StubRequest {
  return { ...request, path: request.path.replace(PREFIX, '/v1beta/') };
}

function buildToken({ body, key }: StubCall): object {
  if (body === IMPERSONATION) {
    return { accessToken: key, expireTime: new Date(Date.now() + LIFE_S * SECOND_MS).toISOString() };
  }
  return {
    access_token: body === EXCHANGE ? FEDERATED.token : key,
    expires_in: LIFE_S,
    token_type: 'Bearer',
  };
}

const toCall = (body: string, key: string | undefined): StubCall => ({
  ...({ kind: 'check', model: null, prompt: null, asked: 0, job: null } as const),
  key: key ?? null,
  body,
});

/** Requests of workloads without a key: the metadata server, the exchange of a token, and the impersonation of a service account. */
function readIdentityCall({ method, path, headers, body }: StubRequest): StubCall | null {
  const account = SERVICE_ACCOUNTS[0]?.key;
  if (method === 'GET' && path === MACHINE) {
    return toCall(MACHINE, headers['metadata-flavor'] === 'Google' ? account : undefined);
  }
  if (method === 'POST' && path === EXCHANGE) {
    const form = new URLSearchParams(body.toString());
    const isGood =
      form.get('grant_type') === EXCHANGE_GRANT && form.get('subject_token') === FEDERATED.subject;
    return toCall(EXCHANGE, isGood ? account : undefined);
  }
  if (method === 'POST' && path === IMPERSONATION) {
    return toCall(IMPERSONATION, headers.authorization === `Bearer ${FEDERATED.token}` ? account : undefined);
  }
  return null;
}

/** The token of an account is its key in the stub. */
function readTokenCall({ method, path, body, origin }: StubRequest): StubCall | null {
  if (method !== 'POST' || path !== TOKEN) {
    return null;
  }
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
  return toCall(TOKEN, isSigned ? account.key : undefined);
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
