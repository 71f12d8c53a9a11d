/** Columns of an account that sign its webhooks. */
export interface SecretsRow {
  readonly webhookSecret: string;
  readonly webhookSecretPrevious: string | null;
  readonly webhookSecretPreviousUntil: Date | null;
}

/** Presents the secrets that sign the webhooks of an account now; the previous one only as long as it signs. */
export function presentSecrets(account: SecretsRow) {
  const until = account.webhookSecretPreviousUntil;
  const isRotating = until !== null && until.getTime() > Date.now();
  return {
    secret: account.webhookSecret,
    previous: isRotating ? account.webhookSecretPrevious : null,
    previous_until: isRotating ? until.toISOString() : null,
  };
}
