import type { Database } from '@image-gateway/shared/db';
import { setAccountPassword } from '../../../operations/user/set-account-password.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';
import { credentialsSchema } from '../../session/credentials-schema.js';

/** `POST /dashboard/api/operator/accounts/{id}/set-password`: sets the password of a user of an account, or makes the user. */
export function setPassword({
  db,
}: {
  readonly db: Database;
}): UserHandler<'post /operator/accounts/:id/set-password'> {
  return async ({ user, body, params: { id = '' } }) => {
    const credentials = readBody(credentialsSchema, body);
    const { email } = await setAccountPassword({ db }, { ...credentials, accountId: id, actor: user.email });
    return dataReply({ email });
  };
}
