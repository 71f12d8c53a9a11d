import { randomBytes } from 'node:crypto';

/** What every webhook secret begins with (Standard Webhooks). */
export const SECRET_PREFIX = 'whsec_';

/** Makes the secret that signs an account's webhooks: `whsec_` and the base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
}
