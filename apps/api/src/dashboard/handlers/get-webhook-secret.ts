import type { WebhookSecretView } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/webhooks/secret`: what signs the account's webhooks. */
export function getWebhookSecret({ db }: { readonly db: Database }): Handler<OwnerCall> {
  return async ({ accountId }) => {
    const account = await db.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    const until = account.webhookSecretPreviousUntil;
    const view: WebhookSecretView = {
      secret: account.webhookSecret,
      previous_until: until && until.getTime() > Date.now() ? until.toISOString() : null,
    };
    return dataReply(view);
  };
}
