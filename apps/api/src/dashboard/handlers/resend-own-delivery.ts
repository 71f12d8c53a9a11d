import { type Database, resendDelivery } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import type { Handler } from '../../http/call.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/webhooks/{id}/resend`: an own delivery is due again now, with the same id and body. */
export function resendOwnDelivery({ db }: { readonly db: Database }): Handler<OwnerCall> {
  return async ({ accountId, viewer, params: { id = '' } }) => {
    const own = await db.prisma.webhookDelivery.findFirst({ where: { id, accountId }, select: { id: true } });
    if (!own) throw new AppError('NOT_FOUND', { publicMessage: 'There is no such webhook.' });
    if (!(await resendDelivery(db, { id, auditId: newId('aud'), actor: viewer.email })))
      throw new AppError('BAD_REQUEST', {
        publicMessage: 'This webhook is being sent at this moment. Try again in a few seconds.',
      });
    return dataReply({});
  };
}
