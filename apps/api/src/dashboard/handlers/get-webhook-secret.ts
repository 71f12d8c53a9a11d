import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/call.js';
import { findWebhookSecret } from '../../operations/webhook/find-webhook-secret.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/webhooks/secret`: what signs the account's webhooks. */
export function getWebhookSecret({ db }: { readonly db: PrismaDatabase }): Handler<OwnerCall> {
  return async ({ accountId }) => dataReply(await findWebhookSecret(db, accountId));
}
