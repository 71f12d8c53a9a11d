import { ok } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { findOwnAccount } from './find-own-account.js';

/** Dependencies of the handler. */
export interface GetAccountDeps {
  readonly accept: { readonly db: Pick<Database, 'run'> };
}

/** `GET /v1/account`: the account of the key with its money, and the key with its limits; money only with the scope `read`. */
export function getAccount({ accept }: GetAccountDeps): Handler<KeyCall> {
  return async ({ caller: { accountId, apiKeyId } }) => ({
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    json: ok(await findOwnAccount(accept.db, { accountId, apiKeyId })),
  });
}
