import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

/** Prefix of every webhook secret (Standard Webhooks). */
const SECRET_PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Signed content: an id, a time in unix seconds, and the exact bytes of the body. */
export interface SignedContent {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: Buffer | string;
}

/** Returns a new secret for the webhooks of an account: `whsec_` and the base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
}

/**
 * Returns the value of the `webhook-signature` header: `v1,<base64>` once per active secret, separated by spaces. A
 * receiver may therefore hold either secret during a rotation. Throws RangeError for content that cannot be signed
 * unambiguously.
 */
export function signWebhook({
  secrets,
  ...content
}: SignedContent & { readonly secrets: readonly string[] }): string {
  if (secrets.length === 0) {
    throw new RangeError('a webhook needs at least one secret');
  }
  if (content.id === '' || content.id.includes('.')) {
    throw new RangeError('a webhook id has no dot in it');
  }
  if (!Number.isSafeInteger(content.timestampSeconds)) {
    throw new RangeError('a webhook timestamp is in whole seconds');
  }
  return secrets.map((secret) => `v1,${computeSignature(secret, content).toString('base64')}`).join(' ');
}

/**
 * HMAC-SHA256 of `id.timestamp.body`, as Standard Webhooks 1.0 defines it. Throws RangeError for a secret that is not `whsec_`
 * and base64.
 */
function computeSignature(secret: string, { id, timestampSeconds, body }: SignedContent): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  if (!BASE64.test(encoded)) {
    throw new RangeError('a webhook secret is whsec_ and base64');
  }
  // With the bytes themselves for a key, Node 24 takes five times as long.
  return createHmac('sha256', createSecretKey(encoded, 'base64'))
    .update(`${id}.${timestampSeconds}.`)
    .update(body)
    .digest();
}
