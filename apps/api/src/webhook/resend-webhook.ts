import { resendDelivery, resendEvent } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { presentDelivery } from './deliveries.js';

/** Webhook to send again. */
export interface WebhookToResend {
  readonly id: string;
  /** Restricts the search to the webhooks of this account. */
  readonly accountId?: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Makes a webhook due now with the same id and body, and returns it for operators. Throws AppError `NOT_FOUND`, `BAD_REQUEST`. */
export async function resendWebhook(
  { db }: { readonly db: PrismaDatabase },
  { id, accountId, actor }: WebhookToResend,
) {
  const { webhookDelivery } = db.prisma;
  const found = await webhookDelivery.findFirst({
    where: { id, ...(accountId !== undefined && { accountId }) },
  });
  const isOwner = accountId !== undefined;
  const event = found
    ? 'unknown'
    : await resendEvent(db, { id, accountId: accountId ?? null, auditId: newId('aud'), actor });
  if (event === 'resent') {
    return presentDelivery(await db.prisma.endpointDelivery.findUniqueOrThrow({ where: { id } }));
  }
  if (!found && event === 'unknown') {
    throw isOwner
      ? new AppError('NOT_FOUND', { publicMessage: 'There is no such webhook.' })
      : notFound('webhook', id);
  }
  if (!found || !(await resendDelivery(db, { id, auditId: newId('aud'), actor }))) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `${isOwner ? 'This webhook' : `Webhook ${id}`} is being sent now. Try again in a few seconds.`,
    });
  }
  return presentDelivery(await webhookDelivery.findUniqueOrThrow({ where: { id } }));
}
