import { createVerify } from 'node:crypto';
import { ok, readJson, type StubRequest, toRecord } from '../core/call.js';
import { type CallParts, type Route, readAuthorization, type StubProtocol } from '../core/protocol.js';
import { readReplies } from '../core/replies.js';
import { buildGeminiRoutes } from './gemini.js';
import { SERVICE_ACCOUNTS } from './service-accounts.js';

/** Token of a workload outside of Google, and the one that Google gives for it. */
export const FEDERATED = { subject: 'stub-subject', token: 'stub-federated' } as const;
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const LIFE_S = 3_600;
const SECOND_MS = 1_000;

const invalidGrant = { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' };
const buildToken = (access_token: string | null) =>
  ok({ access_token, expires_in: LIFE_S, token_type: 'Bearer' });
const identify = (isGood: boolean): CallParts => ({
  key: isGood ? (SERVICE_ACCOUNTS[0]?.key ?? null) : null,
});

/** Google's tokens for service accounts, and for workloads without a key. */
const TOKEN_ROUTES: readonly Route[] = (
  [
    {
      at: /^GET \/computeMetadata\/v1\/instance\/service-accounts\/default\/token$/,
      read: (_json, { headers }) => identify(headers['metadata-flavor'] === 'Google'),
      wrongKey: {
        status: 403,
        headers: { 'content-type': 'text/html' },
        body: Buffer.from('Missing Metadata-Flavor'),
      },
      answer: ({ call }) => buildToken(call.key),
    },
    {
      at: /^POST \/v1\/token$/,
      read: (_json, { body }) => {
        const form = new URLSearchParams(body.toString());
        const isGrant = form.get('grant_type') === EXCHANGE_GRANT;
        return identify(isGrant && form.get('subject_token') === FEDERATED.subject);
      },
      answer: () => buildToken(FEDERATED.token),
    },
    {
      at: /^POST \/v1\/projects\/-\/serviceAccounts\/stub-1@stub\.iam\.gserviceaccount\.com:generateAccessToken$/,
      read: (_json, { headers }) => identify(headers.authorization === `Bearer ${FEDERATED.token}`),
      answer: ({ call }) => {
        const expireTime = new Date(Date.now() + LIFE_S * SECOND_MS).toISOString();
        return ok({ accessToken: call.key, expireTime });
      },
    },
    {
      at: /^POST \/token$/,
      read: (_json, request) => ({ key: verifyAssertion(request) }),
      answer: ({ call }) => buildToken(call.key),
    },
  ] satisfies Omit<Route, 'kind'>[]
).map((route) => ({ kind: 'check', wrongKey: { status: 400, body: invalidGrant }, ...route }));

/** Gemini's models on Vertex AI, and Google's tokens for service accounts. */
export const vertexProtocol: StubProtocol = {
  name: 'vertex',
  readKey: (headers) => readAuthorization(headers) ?? headers['x-goog-api-key'] ?? null,
  routes: [
    ...TOKEN_ROUTES,
    {
      at: /^POST \/v1\/publishers\/google\/models\/[^/]+:countTokens$/,
      kind: 'check',
      answer: () => ok({ totalTokens: 3 }),
    },
    ...buildGeminiRoutes('/v1/(?:projects/[^/]+/locations/[^/]+/)?publishers/google/'),
  ],
  replies: readReplies('gemini', 'vertex'),
};

/** Returns the key of the account that signed the assertion of a form, which is its token; null for none. */
function verifyAssertion({ body, origin }: StubRequest): string | null {
  const assertion = new URLSearchParams(body.toString()).get('assertion') ?? '';
  const [header = '', claims = '', signature = ''] = assertion.split('.');
  const { iss, aud } = toRecord(readJson(Buffer.from(claims, 'base64url')));
  const account = SERVICE_ACCOUNTS.find(({ email }) => email === iss);
  if (account === undefined || aud !== `${origin}/token`) {
    return null;
  }
  const verifier = createVerify('RSA-SHA256').update(`${header}.${claims}`);
  return verifier.verify(account.publicKey, signature, 'base64url') ? account.key : null;
}
