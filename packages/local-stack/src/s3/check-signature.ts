import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import aws4 from 'aws4';
import { S3Error } from './s3-error.js';

/** Keys of the one account of the store. */
export interface S3Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Claims of a request about its signature. */
interface Claims {
  /** `key/date/region/s3/aws4_request`. */
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `YYYYMMDDThhmmssZ`. */
  readonly time: string;
  /** Seconds for which a signature in the address holds; null for one in the header. */
  readonly expires: number | null;
}

const MAX_SKEW_MS = 15 * 60_000;
const WEEK_SECONDS = 7 * 24 * 3600;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;

/** Throws S3Error unless the request has a valid AWS signature of version 4, in its header or in its address. */
export function checkSignature(request: IncomingMessage, query: URLSearchParams, keys: S3Keys): void {
  const claims = readClaims(request, query);
  const { credential, signedHeaders, signature, time, expires } = claims;
  // A signature in the header has to cover these, and both kinds all that begin with `x-amz-`.
  const required = expires === null ? ['host', 'x-amz-content-sha256', 'x-amz-date'] : ['host'];
  const amazons = Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'));
  const missing = [...required, ...amazons].find((name) => !signedHeaders.includes(name));
  if (missing !== undefined) {
    throw new S3Error('AccessDenied', `The header ${missing} is not signed.`);
  }
  const [accessKey, , region = ''] = credential.split('/');
  if (accessKey !== keys.accessKey) {
    throw new S3Error('InvalidAccessKeyId', 'The access key does not exist.');
  }
  checkTime(claims);
  const scope = [accessKey, time.slice(0, 8), region, 's3', 'aws4_request'].join('/');
  const expected = Buffer.from(sign(request, claims, region, keys));
  const given = Buffer.from(signature);
  const isValid = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isValid || credential !== scope) {
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The signature does not match the request and the secret key.',
    );
  }
}

function readClaims({ headers }: IncomingMessage, query: URLSearchParams): Claims {
  const { authorization } = headers;
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  if (query.has('X-Amz-Algorithm')) {
    const expires = Number(get('Expires'));
    if (authorization !== undefined) {
      throw new S3Error('InvalidArgument', 'The request has two signatures.');
    }
    if (get('Algorithm') !== 'AWS4-HMAC-SHA256' || !(expires >= 1 && expires <= WEEK_SECONDS)) {
      throw new S3Error('InvalidArgument', 'The address has no AWS signature of version 4 for up to a week.');
    }
    const signedHeaders = get('SignedHeaders').split(';');
    const [credential, signature, time] = [get('Credential'), get('Signature'), get('Date')];
    return { credential, signedHeaders, signature, time, expires };
  }
  if (authorization === undefined) {
    throw new S3Error('AccessDenied', 'The request is not signed.');
  }
  const [, credential, signed, signature] = AUTHORIZATION.exec(authorization) ?? [];
  if (credential === undefined || signed === undefined || signature === undefined) {
    throw new S3Error('InvalidArgument', 'The header Authorization is no AWS signature of version 4.');
  }
  const time = String(headers['x-amz-date'] ?? '');
  return { credential, signedHeaders: signed.split(';'), signature, time, expires: null };
}

function checkTime({ time, expires }: Claims): void {
  const written = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const age = Date.now() - Date.parse(written);
  const limit = expires === null ? MAX_SKEW_MS : expires * 1000;
  if (expires !== null && age > limit) {
    throw new S3Error('AccessDenied', 'The address has expired.');
  }
  // An invalid time is NaN, which no comparison accepts.
  if (!(age >= -MAX_SKEW_MS && age <= limit) || written === time) {
    const message = 'The time of the signature is too far from the time of the server.';
    throw new S3Error('RequestTimeTooSkewed', message);
  }
}

/** Signs what the request says was signed, and returns the signature in hexadecimal. */
function sign(
  { method = '', url = '', headers }: IncomingMessage,
  { signedHeaders, expires }: Claims,
  region: string,
  { accessKey, secretKey }: S3Keys,
): string {
  const request = {
    service: 's3',
    region,
    method,
    // The signature itself is no part of what is signed.
    path: url.replace(/(?<=[?&])X-Amz-Signature=[^&]*&?/, '').replace(/[?&]$/, ''),
    headers: Object.fromEntries(signedHeaders.map((name) => [name, String(headers[name] ?? '')])),
    signQuery: expires !== null,
    // The library leaves some headers out unless they are named.
    extraHeadersToInclude: Object.fromEntries(signedHeaders.map((name) => [name, true])),
  };
  const signed = aws4.sign(request, { accessKeyId: accessKey, secretAccessKey: secretKey });
  const place = expires === null ? signed.headers?.Authorization : signed.path;
  return /Signature=([0-9a-f]{64})/.exec(String(place))?.[1] ?? '';
}
