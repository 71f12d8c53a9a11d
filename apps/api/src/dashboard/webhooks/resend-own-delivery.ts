import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { resendWebhook } from '../../operations/webhook/resend-webhook.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `POST /dashboard/api/webhooks/{id}/resend`: an own delivery is due again now, with the same id and body. */
export function resendOwnDelivery({
  db,
}: {
  readonly db: PrismaDatabase;
}): OwnerHandler<'post /webhooks/:id/resend'> {
  return async ({ accountId, user, params: { id = '' } }) => {
    await resendWebhook({ db }, { id, accountId, actor: user.email });
    return dataReply({});
  };
}
