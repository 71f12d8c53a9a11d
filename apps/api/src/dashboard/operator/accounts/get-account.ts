import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../../http/framework/call.js';
import { findAccountDetail } from '../../../operations/account/find-account-detail.js';
import { dataReply } from '../../data-reply.js';
import type { UserCall } from '../../route.js';

/** `GET /dashboard/api/operator/accounts/{id}`: an account with its log-ins, limits and last movements of money; no secret, no prompt. */
export function getAccount({ db }: { readonly db: PrismaDatabase }): Handler<UserCall> {
  return async ({ params: { id = '' } }) => dataReply(await findAccountDetail(db, id));
}
