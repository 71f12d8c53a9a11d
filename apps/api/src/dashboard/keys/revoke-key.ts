import type { Database } from '@image-gateway/shared/db';
import { revokeApiKey } from '../../operations/key/revoke-api-key.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `POST /dashboard/api/keys/{id}/revoke`: an own key stops working within five seconds, for good. */
export function revokeKey({ db }: { readonly db: Database }): OwnerHandler<'post /keys/:id/revoke'> {
  return async ({ accountId, user, params: { id = '' } }) => {
    const { revokedAt } = await revokeApiKey({ db }, { keyId: id, accountId, actor: user.email });
    return dataReply({ revoked_at: revokedAt.toISOString() });
  };
}
