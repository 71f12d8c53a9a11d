import { createHmac } from 'node:crypto';
import { SECRET_PREFIX } from './new-webhook-secret.js';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What is signed: an id, a time in unix seconds, and the exact bytes of the body. */
export interface SignedContent {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: Buffer | string;
}

/** HMAC-SHA256 of `id.timestamp.body`, as Standard Webhooks 1.0 defines it. Throws RangeError for a secret that is not `whsec_` and base64. */
export function signatureOf(secret: string, { id, timestampSeconds, body }: SignedContent): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  if (!BASE64.test(encoded)) throw new RangeError('a webhook secret is whsec_ and base64');
  return createHmac('sha256', Buffer.from(encoded, 'base64'))
    .update(`${id}.${timestampSeconds}.`)
    .update(body)
    .digest();
}
