import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import { setAccountStatus } from '../../operations/account/set-account-status.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/operator/accounts/{id}/suspend` and `…/resume`: refuses or takes new requests of an account. */
export function setStatus({
  db,
  status,
}: {
  readonly db: Database;
  readonly status: 'active' | 'suspended';
}): Handler<ViewerCall> {
  return async ({ viewer, params: { id = '' } }) => {
    await setAccountStatus({ db }, { accountId: id, status, actor: viewer.email });
    return dataReply({});
  };
}
