import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/framework/call.js';
import { findWebhookSecret } from '../../operations/webhook/find-webhook-secret.js';
import { dataReply } from '../data-reply.js';
import type { OwnerCall } from '../route.js';

/** `GET /dashboard/api/webhooks/secret`: what signs the account's webhooks. */
export function getWebhookSecret({ db }: { readonly db: PrismaDatabase }): Handler<OwnerCall> {
  return async ({ accountId }) => dataReply(await findWebhookSecret(db, accountId));
}
