import { randomBytes } from 'node:crypto';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { resetPassword } from '../../commands/reset-password.js';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/operator/accounts/{id}/users/{user}/reset-password`: a new password for an owner who forgot theirs, shown to the operator this once. */
export function resetOwnerPassword({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async ({ viewer, params: { id = '', user: userId = '' } }) => {
    const owner = await db.prisma.accountUser.findFirst({ where: { accountId: id, userId } });
    if (!owner) throw new AppError('NOT_FOUND', { publicMessage: 'There is no such log-in.' });
    const password = randomBytes(12).toString('base64url');
    await resetPassword({ db }, { userId, password, actor: viewer.email });
    return dataReply({ password });
  };
}
