import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { resetOwnerPassword as resetPassword } from '../../../operations/user/reset-owner-password.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `POST /dashboard/api/operator/accounts/{id}/users/{user}/reset-password`: a new password for an owner who forgot theirs, shown to the operator this once. */
export function resetOwnerPassword({
  db,
}: {
  readonly db: PrismaDatabase;
}): UserHandler<'post /operator/accounts/:id/users/:user/reset-password'> {
  return async ({ user, params: { id = '', user: userId = '' } }) =>
    dataReply(await resetPassword({ db }, { accountId: id, userId, actor: user.email }));
}
