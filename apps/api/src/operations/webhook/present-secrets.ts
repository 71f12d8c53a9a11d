import type { Account } from '@image-gateway/shared/db';

/** Columns of an account with its webhook secrets. */
export type SecretsRow = Readonly<
  Pick<Account, 'webhookSecret' | 'webhookSecretPrevious' | 'webhookSecretPreviousUntil'>
>;

/** Presents the webhook secrets of an account; the previous one only while it signs. */
export function presentSecrets(account: SecretsRow) {
  const until = account.webhookSecretPreviousUntil;
  const isRotating = until !== null && until.getTime() > Date.now();
  return {
    secret: account.webhookSecret,
    previous: isRotating ? account.webhookSecretPrevious : null,
    previous_until: isRotating ? until.toISOString() : null,
  };
}
