import type { Database } from '@image-gateway/shared/db';
import { updateApiKey } from '../../operations/key/update-api-key.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OwnerHandler } from '../route.js';
import { keyLimitsBody, toKeyLimits } from './key-limits-body.js';

/** `POST /dashboard/api/keys/{id}/limits`: changes the limits of an own key, which apply within five seconds. */
export function setKeyLimits({ db }: { readonly db: Database }): OwnerHandler<'post /keys/:id/limits'> {
  return async ({ accountId, user, body, params: { id = '' } }) => {
    const limits = toKeyLimits(readBody(keyLimitsBody.required(), body));
    await updateApiKey({ db }, { keyId: id, accountId, limits, actor: user.email });
    return dataReply({});
  };
}
