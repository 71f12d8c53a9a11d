import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { findAccountDetail } from '../../../operations/account/find-account-detail.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `GET /dashboard/api/operator/accounts/{id}`: an account with its log-ins, limits and last movements of money; no secret, no prompt. */
export function getAccount({
  db,
}: {
  readonly db: PrismaDatabase;
}): UserHandler<'get /operator/accounts/:id'> {
  return async ({ params: { id = '' } }) => dataReply(await findAccountDetail(db, id));
}
