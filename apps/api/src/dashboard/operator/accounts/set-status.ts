import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../../http/framework/call.js';
import { setAccountStatus } from '../../../operations/account/set-account-status.js';
import { dataReply } from '../../data-reply.js';
import type { UserCall } from '../../route.js';

/** `POST /dashboard/api/operator/accounts/{id}/suspend` and `…/resume`: refuses or takes new requests of an account. */
export function setStatus({
  db,
  status,
}: {
  readonly db: Database;
  readonly status: 'active' | 'suspended';
}): Handler<UserCall> {
  return async ({ user, params: { id = '' } }) => {
    await setAccountStatus({ db }, { accountId: id, status, actor: user.email });
    return dataReply({});
  };
}
