import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/call.js';
import { resetOwnerPassword as resetPassword } from '../../operations/user/reset-owner-password.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/operator/accounts/{id}/users/{user}/reset-password`: a new password for an owner who forgot theirs, shown to the operator this once. */
export function resetOwnerPassword({ db }: { readonly db: PrismaDatabase }): Handler<ViewerCall> {
  return async ({ viewer, params: { id = '', user: userId = '' } }) =>
    dataReply(await resetPassword({ db }, { accountId: id, userId, actor: viewer.email }));
}
