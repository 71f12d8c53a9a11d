import { createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import Joi from 'joi';
import { gemini } from './gemini.js';
import { parseObject, readKeyFile } from './key-file.js';
import { isObject, type TokenStep, type UpstreamDescription } from './protocol.js';

type File = Readonly<Record<string, unknown>>;

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const LIFE_S = 3_600;
const SECOND_MS = 1_000;
const MAX_TOKEN_CHARACTERS = 16_384;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Key of express mode. */
const EXPRESS_KEY = /^[A-Za-z0-9_.-]{1,256}$/;
/** Key that stands for the service account of the machine. */
const MACHINE = 'metadata';
/** Host of the metadata server of Google's machines. */
export const MACHINE_HOST = 'metadata.google.internal';
const MACHINE_TOKEN = `http://${MACHINE_HOST}/computeMetadata/v1/instance/service-accounts/default/token`;

const tokenSchema = Joi.object<GivenToken>({
  access_token: Joi.string(),
  accessToken: Joi.string(),
  expires_in: Joi.number().min(0),
  expireTime: Joi.string().isoDate(),
}).or('access_token', 'accessToken');

interface GivenToken {
  readonly access_token?: string;
  /** Of an impersonation. */
  readonly accessToken?: string;
  readonly expires_in?: number;
  readonly expireTime?: string;
}

/** Token, and when it ends. */
export interface GoogleToken {
  readonly token: string;
  readonly untilMs: number;
}

/** Reads the response to any of the requests; null for one without a token. */
export function readToken(body: unknown): GoogleToken | null {
  const { value, error } = tokenSchema.required().validate(body, { allowUnknown: true, convert: false });
  const token = value?.access_token ?? value?.accessToken;
  if (error || token === undefined) {
    return null;
  }
  const { expires_in: seconds = 0, expireTime } = value;
  return {
    token,
    untilMs: expireTime === undefined ? Date.now() + seconds * SECOND_MS : Date.parse(expireTime),
  };
}

/**
 * Returns the requests that exchange a key for a token, each with the token of the one before; null for an API key. A key is the file of a
 * service account or of an external account in base64, or the word `metadata`. A file that cannot be used is sent nowhere.
 */
function createTokenSteps(secret: string): readonly TokenStep[] | null {
  if (secret === MACHINE) {
    return [askMachine];
  }
  const text = readKeyFile(secret);
  if (text === null) {
    return null;
  }
  const file = parseObject(text);
  if (file?.type === 'external_account') {
    return createExternalSteps(file);
  }
  // Asynchronous, so that a faulty file is a rejection.
  return [async () => exchangeAssertion(readAccount(file))];
}

/** Returns why a key is neither a usable file nor a possible API key; null for one that may be tried. */
function findOwnKeyFault(secret: string): string | null {
  const text = readKeyFile(secret);
  const file = text === null ? null : parseObject(text);
  if (secret === MACHINE || file?.type === 'external_account') {
    return null;
  }
  if (text === null) {
    return EXPRESS_KEY.test(secret) ? null : 'is neither a key file nor a key of express mode';
  }
  try {
    readAccount(file);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'is a key file that cannot be read';
  }
}

/** Reads the file of a service account. Throws an error whose message has nothing of it. */
function readAccount(file: File | null): Account {
  if (file === null) {
    throw new Error('is a key file whose JSON cannot be read: it was cut, or has line ends inside a text');
  }
  const { client_email: issuer, private_key: key, private_key_id: id, token_uri: url } = file;
  if (
    typeof issuer !== 'string' ||
    typeof key !== 'string' ||
    typeof url !== 'string' ||
    !URL.canParse(url)
  ) {
    throw new Error(
      'is a key file without client_email, private_key or token_uri: files of service accounts and external accounts are taken',
    );
  }
  return { issuer, key: readPrivateKey(key), id, url };
}

/** Reads a private key in PEM; many tools write its line ends as a backslash and an n. */
function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // The error of the parser says nothing that helps, and may quote the key.
    throw new Error('is a key file whose private_key cannot be read');
  }
}

/** The metadata server of Compute Engine and GKE (docs.cloud.google.com/compute/docs/access/authenticate-workloads). */
const askMachine: TokenStep = () =>
  Promise.resolve({
    method: 'GET',
    url: MACHINE_TOKEN,
    headers: { 'metadata-flavor': 'Google' },
    isMachine: true,
  });

interface Account {
  readonly issuer: string;
  readonly key: KeyObject;
  readonly id: unknown;
  readonly url: string;
}

/** Builds the request of a service account (RFC 7523; developers.google.com/identity/protocols/oauth2/service-account). */
function exchangeAssertion({ issuer, key, id, url }: Account) {
  const now = Math.floor(Date.now() / SECOND_MS);
  const claims = { iss: issuer, scope: SCOPE, aud: url, iat: now, exp: now + LIFE_S };
  const header = { alg: 'RS256', typ: 'JWT', ...(typeof id === 'string' && { kid: id }) };
  const unsigned = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const form = { grant_type: JWT_GRANT, assertion: `${unsigned}.${sign(unsigned, key)}` };
  return { method: 'POST', url, headers: FORM, body: new URLSearchParams(form).toString() } as const;
}

const sign = (text: string, key: KeyObject): string =>
  createSign('RSA-SHA256').update(text).sign(key).toString('base64url');

/**
 * Builds the requests of workload identity federation (google.aip.dev/auth/4117): a token of the workload's own, from a file,
 * for one of Google's.
 */
function createExternalSteps(file: File): readonly TokenStep[] {
  const { token_url: url, service_account_impersonation_url: impersonation } = file;
  const exchange: TokenStep = async () => {
    const form = {
      grant_type: EXCHANGE_GRANT,
      audience: String(file.audience),
      scope: SCOPE,
      requested_token_type: ACCESS_TOKEN,
      subject_token_type: String(file.subject_token_type),
      subject_token: await readSubjectToken(file.credential_source),
    };
    return {
      method: 'POST',
      url: checkAddress(url),
      headers: FORM,
      body: new URLSearchParams(form).toString(),
    };
  };
  // Asynchronous, so that a wrong address is a rejection.
  const impersonate: TokenStep = async (token) => ({
    method: 'POST',
    url: checkAddress(impersonation),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ scope: [SCOPE], lifetime: `${LIFE_S}s` }),
  });
  return impersonation === undefined ? [exchange] : [exchange, impersonate];
}

/** Returns the address; the token of a workload goes to Google and nowhere else. */
function checkAddress(url: unknown): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === 'https:' && parsed.hostname.endsWith('.googleapis.com')) {
    return parsed.href;
  }
  throw new Error('the external account names an address for tokens that is not at googleapis.com');
}

async function readSubjectToken(source: unknown): Promise<string> {
  const { file, format } = isObject(source) ? source : {};
  if (typeof file !== 'string') {
    throw new Error('only external accounts whose token is in a file are supported');
  }
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error('the file with the token of the external account cannot be read', { cause });
  });
  const field = isObject(format) && format.type === 'json' ? format.subject_token_field_name : undefined;
  const token = typeof field === 'string' ? readField(text, field) : text.trim();
  if (token === '' || token.length > MAX_TOKEN_CHARACTERS) {
    throw new Error('the file with the token of the external account has no token');
  }
  return token;
}

function readField(text: string, field: string): string {
  const value = parseObject(text)?.[field];
  return typeof value === 'string' ? value : '';
}

/** Gemini's models on Vertex AI: project and location stand in the address. */
export const vertex = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '/v1',
  resultHosts: [],
  // Of express mode; any other key is exchanged for a token.
  authorize: (secret) => ({ 'x-goog-api-key': secret }),
  createTokenSteps,
  findOwnKeyFault,
  maxImagesPerCall: 1,
  // Keys of express mode have this free method and two that draw (cloud.google.com, express mode REST reference).
  checkPath: '/publishers/google/models/gemini-3-pro-image:countTokens',
  isRefusal: gemini.isRefusal,
  checkBody: { contents: [{ role: 'user', parts: [{ text: 'a fox' }] }] },
  keysAt: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
  listResolutions: gemini.listResolutions,
  accepts: gemini.accepts,
  sends: gemini.sends,
  defaultQuality: null,
} as const satisfies UpstreamDescription;
