import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/call.js';
import { resendWebhook } from '../../operations/webhook/resend-webhook.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/webhooks/{id}/resend`: an own delivery is due again now, with the same id and body. */
export function resendOwnDelivery({ db }: { readonly db: PrismaDatabase }): Handler<OwnerCall> {
  return async ({ accountId, viewer, params: { id = '' } }) => {
    await resendWebhook({ db }, { id, accountId, actor: viewer.email });
    return dataReply({});
  };
}
