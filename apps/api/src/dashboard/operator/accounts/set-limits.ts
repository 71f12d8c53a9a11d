import { ACCOUNT_LIMIT_NAMES, type AccountLimitsBody } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { setAccountLimits } from '../../../operations/account/account-limits.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';

const limit = Joi.alternatives(Joi.number().unsafe(), Joi.string().allow('').max(20)).allow(null);
const limitsBody: Joi.ObjectSchema<AccountLimitsBody> = Joi.object(
  Object.fromEntries(ACCOUNT_LIMIT_NAMES.map((name) => [name, limit])),
).required();

/** `POST /dashboard/api/operator/accounts/{id}/limits`: what this account may do instead of what everybody may. */
export function setLimits({
  db,
}: {
  readonly db: Database;
}): UserHandler<'post /operator/accounts/:id/limits'> {
  return async ({ user, body, params: { id: accountId = '' } }) => {
    const limits = readBody(limitsBody, body);
    await setAccountLimits({ db }, { accountId, limits, actor: user.email });
    return dataReply({});
  };
}
