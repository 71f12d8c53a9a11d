import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { findWebhookTest } from '../../operations/webhook/find-webhook-test.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/webhooks/tests/{id}`: a test event and its outcome as far as there is one. */
export function getWebhookTest({
  db,
}: {
  readonly db: PrismaDatabase;
}): OwnerHandler<'get /webhooks/tests/:id'> {
  return async ({ accountId, params: { id = '' } }) =>
    dataReply(await findWebhookTest({ db }, { id, accountId }));
}
