import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { findWebhookSecret } from '../../operations/webhook/find-webhook-secret.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/webhooks/secret`: what signs the account's webhooks. */
export function getWebhookSecret({
  db,
}: {
  readonly db: PrismaDatabase;
}): OwnerHandler<'get /webhooks/secret'> {
  return async ({ accountId }) => dataReply(await findWebhookSecret(db, accountId));
}
