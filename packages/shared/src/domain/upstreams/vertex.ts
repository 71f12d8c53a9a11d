import { createSign } from 'node:crypto';
import { gemini } from './gemini.js';
import { isObject, type TokenRequest, type UpstreamDescription } from './protocol.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFE_S = 3_600;
const SECOND_MS = 1_000;

/** Creates the request that exchanges the key of a service account, its JSON file in base64, for a token; null for an API key (RFC 7523; developers.google.com/identity/protocols/oauth2/service-account). */
function createTokenRequest(secret: string): TokenRequest | null {
  const file = readKeyFile(secret);
  if (file === null) {
    return null;
  }
  const { client_email: issuer, private_key: key, private_key_id: id, token_uri: url } = file;
  if (typeof issuer !== 'string' || typeof key !== 'string' || typeof url !== 'string') {
    return null;
  }
  const now = Math.floor(Date.now() / SECOND_MS);
  const claims = { iss: issuer, scope: SCOPE, aud: url, iat: now, exp: now + LIFE_S };
  const header = { alg: 'RS256', typ: 'JWT', ...(typeof id === 'string' && { kid: id }) };
  const unsigned = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const form = new URLSearchParams({ grant_type: GRANT, assertion: `${unsigned}.${sign(unsigned, key)}` });
  return { url, body: form.toString() };
}

/** Signs a text; a broken key signs nothing, which Google refuses like a wrong one. */
function sign(text: string, key: string): string {
  try {
    return createSign('RSA-SHA256').update(text).sign(key).toString('base64url');
  } catch {
    return '';
  }
}

function readKeyFile(secret: string): Readonly<Record<string, unknown>> | null {
  try {
    const file: unknown = JSON.parse(Buffer.from(secret, 'base64').toString('utf8'));
    return isObject(file) ? file : null;
  } catch {
    return null;
  }
}

/** Gemini's models on Vertex AI: project and location stand in the address. */
export const vertex = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '/v1',
  resultHosts: [],
  // Of express mode; the key of a service account is exchanged for a token.
  authorize: (secret) => ({ 'x-goog-api-key': secret }),
  createTokenRequest,
  maxImagesPerCall: 1,
  checkPath: '/publishers/google/models/gemini-3-pro-image',
  keysAt: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  accepts: gemini.accepts,
  sends: gemini.sends,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
