import { type SignedContent, signatureOf } from './signature-of.js';

/**
 * Gives the value of the `webhook-signature` header: `v1,<base64>` once per active secret, separated by spaces, so that
 * a receiver may hold either secret during a rotation. Throws RangeError for what cannot be signed unambiguously.
 */
export function signWebhook({
  secrets,
  ...content
}: SignedContent & { readonly secrets: readonly string[] }): string {
  if (secrets.length === 0) throw new RangeError('a webhook needs at least one secret');
  if (content.id === '' || content.id.includes('.')) throw new RangeError('a webhook id has no dot in it');
  if (!Number.isSafeInteger(content.timestampSeconds))
    throw new RangeError('a webhook timestamp is in whole seconds');
  return secrets.map((secret) => `v1,${signatureOf(secret, content).toString('base64')}`).join(' ');
}
