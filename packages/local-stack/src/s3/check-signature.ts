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
  /** Seconds for which a signature in the address holds; absent for one in the header. */
  readonly expires?: number;
}

const MAX_SKEW_MS = 15 * 60_000;
const WEEK_SECONDS = 7 * 24 * 3600;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;
/** Headers that a signature in the header has to cover, beside all others that begin with `x-amz-`. */
const ALWAYS_SIGNED = ['host', 'x-amz-content-sha256', 'x-amz-date'];

/** Throws S3Error unless the request has a valid AWS signature of version 4, in its header or in its address. */
export function checkSignature(request: IncomingMessage, query: URLSearchParams, keys: S3Keys): void {
  const claims = readClaims(request, query);
  const [accessKey, , region = ''] = claims.credential.split('/');
  if (accessKey !== keys.accessKey) {
    throw new S3Error('InvalidAccessKeyId', 'The access key does not exist.');
  }
  checkTime(claims);
  const scope = [accessKey, claims.time.slice(0, 8), region, 's3', 'aws4_request'].join('/');
  const expected = Buffer.from(sign(request, claims, region, keys));
  const given = Buffer.from(claims.signature);
  const isValid = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isValid || claims.credential !== scope) {
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The signature does not match the request and the secret key.',
    );
  }
}

function readClaims({ headers }: IncomingMessage, query: URLSearchParams): Claims {
  const { authorization } = headers;
  const isPresigned = query.has('X-Amz-Algorithm');
  if (isPresigned && authorization !== undefined) {
    throw new S3Error('InvalidArgument', 'The request has two signatures.');
  }
  const claims = isPresigned ? readQuery(query) : readHeader(headers);
  const required = isPresigned ? ['host'] : ALWAYS_SIGNED;
  const amazons = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  const missing = [...required, ...amazons].find((name) => !claims.signedHeaders.includes(name));
  if (missing !== undefined) {
    throw new S3Error('AccessDenied', `The header ${missing} is not signed.`);
  }
  return claims;
}

function readHeader(headers: IncomingMessage['headers']): Claims {
  if (headers.authorization === undefined) {
    throw new S3Error('AccessDenied', 'The request is not signed.');
  }
  const [, credential, signed, signature] = AUTHORIZATION.exec(headers.authorization) ?? [];
  if (credential === undefined || signed === undefined || signature === undefined) {
    throw new S3Error('InvalidArgument', 'The header Authorization is no AWS signature of version 4.');
  }
  const time = String(headers['x-amz-date'] ?? '');
  return { credential, signedHeaders: signed.split(';'), signature, time };
}

function readQuery(query: URLSearchParams): Claims {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  const expires = Number(get('Expires'));
  if (get('Algorithm') !== 'AWS4-HMAC-SHA256' || !(expires >= 1 && expires <= WEEK_SECONDS)) {
    throw new S3Error('InvalidArgument', 'The address has no AWS signature of version 4 for up to a week.');
  }
  return {
    credential: get('Credential'),
    signedHeaders: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    time: get('Date'),
    expires,
  };
}

function checkTime({ time, expires }: Claims): void {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const age = Date.now() - signedAt;
  const limit = expires === undefined ? MAX_SKEW_MS : expires * 1000;
  // An invalid time is NaN, which no comparison accepts.
  if (age >= -MAX_SKEW_MS && age <= limit) {
    return;
  }
  throw expires !== undefined && age > limit
    ? new S3Error('AccessDenied', 'The address has expired.')
    : new S3Error(
        'RequestTimeTooSkewed',
        'The time of the signature is too far from the time of the server.',
      );
}

/** Signs what the request says was signed, and returns the signature in hexadecimal. */
function sign(
  { method = '', url = '', headers }: IncomingMessage,
  { signedHeaders, expires }: Claims,
  region: string,
  { accessKey, secretKey }: S3Keys,
): string {
  const signed = signedHeaders.map((name) => [name, String(headers[name] ?? '')]);
  // The signature itself is no part of what is signed.
  const path = url.replace(/(?<=[?&])X-Amz-Signature=[^&]*&?/, '').replace(/[?&]$/, '');
  const plain = {
    service: 's3',
    region,
    method,
    path,
    headers: Object.fromEntries(signed),
    signQuery: expires !== undefined,
    // The library leaves some headers out unless they are named.
    extraHeadersToInclude: Object.fromEntries(signedHeaders.map((name) => [name, true])),
  };
  const result = aws4.sign(plain, { accessKeyId: accessKey, secretAccessKey: secretKey });
  const place = expires === undefined ? result.headers?.Authorization : result.path;
  return /Signature=([0-9a-f]{64})/.exec(String(place))?.[1] ?? '';
}
