import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/call.js';
import { findAccountDetail } from '../../operations/account/find-account-detail.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/operator/accounts/{id}`: an account with its log-ins, limits and last movements of money; no secret, no prompt. */
export function getAccount({ db }: { readonly db: PrismaDatabase }): Handler<ViewerCall> {
  return async ({ params: { id = '' } }) => dataReply(await findAccountDetail(db, id));
}
