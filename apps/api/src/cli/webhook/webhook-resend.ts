import { resendDelivery } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';
import { presentDelivery } from './present-delivery.js';

/** `webhook resend`: the same webhook once more, with the same id and body. */
export const webhookResend: CliCommand = {
  name: 'webhook resend',
  summary: 'Send a webhook again now, with the same id and body and a fresh signature',
  arguments: ['ID'],
  example: 'webhook resend msg_…',
  run: async (context, input) => {
    const db = context.db();
    const id = input.argument(0);
    const resent = await resendDelivery(db, { id, auditId: newId('aud'), actor: 'cli' });
    const delivery = await db.prisma.webhookDelivery.findUnique({ where: { id } });
    if (!delivery) throw new AppError('NOT_FOUND', { publicMessage: `There is no webhook ${id}.` });
    if (!resent)
      throw new AppError('BAD_REQUEST', {
        publicMessage: `Webhook ${id} is being sent at this moment. Try again in a few seconds.`,
      });
    const value = presentDelivery(delivery);
    return { value, text: renderFields(value) };
  },
};
