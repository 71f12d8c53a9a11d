import type { Account, Database, Statement } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import type { WebhookSecretView } from '@image-gateway/shared/webhook/schema';
import { newWebhookSecret } from '@image-gateway/shared/webhooks';

/** Columns of an account with its webhook secrets. */
export type SecretsRow = Readonly<
  Pick<Account, 'webhookSecret' | 'webhookSecretPrevious' | 'webhookSecretOverlapUntil'>
>;

/** Presents the webhook secrets of an account; the previous one only while it signs. */
export function presentSecrets(account: SecretsRow) {
  const until = account.webhookSecretOverlapUntil;
  const isRotating = until !== null && until.getTime() > Date.now();
  return {
    secret: account.webhookSecret,
    previous: isRotating ? account.webhookSecretPrevious : null,
    previous_until: isRotating ? until.toISOString() : null,
  };
}

/** Returns the secret that signs the webhooks of an account, and the end of the previous one. */
export async function findWebhookSecret(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  accountId: string,
): Promise<WebhookSecretView> {
  const account = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  const { secret, previous_until } = presentSecrets(account);
  return { secret, previous_until };
}

// The values on the right are those before this statement: a second rotation drops the oldest secret at once.
const ROTATE_WEBHOOK_SECRET: Statement = {
  name: 'rotate-webhook-secret',
  text: `
WITH account AS (
  UPDATE accounts
     SET webhook_secret = $2, webhook_secret_previous = webhook_secret,
         webhook_secret_overlap_until = now() + interval '24 hours'
   WHERE id = $1 RETURNING id, webhook_secret_overlap_until),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $3, 'account.rotate-webhook-secret', id, $4::jsonb FROM account)
SELECT webhook_secret_overlap_until AS "previousUntil" FROM account`,
};

/** Replaces the webhook secret of an account; the previous secret also signs for 24 hours. Throws AppError `NOT_FOUND`. */
export async function rotateWebhookSecret(
  { db }: { readonly db: Pick<Database, 'run'> },
  { accountId, actor }: { readonly accountId: string; readonly actor: string },
): Promise<{ readonly webhookSecret: string; readonly previousUntil: Date }> {
  const webhookSecret = newWebhookSecret();
  const values = [accountId, webhookSecret, newId('aud'), JSON.stringify({ actor })];
  const [row] = await db.run<{ readonly previousUntil: NonNullable<Account['webhookSecretOverlapUntil']> }>(
    ROTATE_WEBHOOK_SECRET,
    values,
  );
  if (!row) {
    throw notFound('account', accountId);
  }
  return { webhookSecret, previousUntil: row.previousUntil };
}
