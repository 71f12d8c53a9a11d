import type { Database } from '@image-gateway/shared/db';
import { setAccountStatus } from '../../../operations/account/set-account-status.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `POST /dashboard/api/operator/accounts/{id}/suspend` and `…/resume`: refuses or takes new requests of an account. */
export function setStatus({
  db,
  status,
}: {
  readonly db: Database;
  readonly status: 'active' | 'suspended';
}): UserHandler<'post /operator/accounts/:id/suspend'> {
  return async ({ user, params: { id = '' } }) => {
    await setAccountStatus({ db }, { accountId: id, status, actor: user.email });
    return dataReply({});
  };
}
