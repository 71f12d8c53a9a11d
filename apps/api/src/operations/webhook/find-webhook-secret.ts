import type { WebhookSecretView } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { presentSecrets } from './present-secrets.js';

/** Returns the secret that signs the webhooks of an account, and the end of the previous one. */
export async function findWebhookSecret(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  accountId: string,
): Promise<WebhookSecretView> {
  const account = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  const { secret, previous_until } = presentSecrets(account);
  return { secret, previous_until };
}
