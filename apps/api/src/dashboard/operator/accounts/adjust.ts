import type { Database } from '@image-gateway/shared/db';
import { parseSignedDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import { adjustAccount } from '../../../operations/account/adjust-account.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';
import { reasonSchema } from '../reason-schema.js';
import { referenceSchema } from '../reference-schema.js';
import { readAmount } from './read-amount.js';

interface Body {
  readonly amount: string;
  readonly reason: string;
  readonly reference?: string;
}

const adjustBody: Joi.ObjectSchema<Body> = Joi.object({
  amount: Joi.string().max(40).required().messages({ '*': 'Enter an amount in dollars such as -1.00.' }),
  reason: reasonSchema(),
  reference: referenceSchema(),
}).required();

/** `POST /dashboard/api/operator/accounts/{id}/adjust`: corrects a balance in either direction, never below what is held, once for each reference. */
export function adjust({ db }: { readonly db: Database }): UserHandler<'post /operator/accounts/:id/adjust'> {
  return async ({ user, body, params: { id = '' } }) => {
    const { amount, reason, reference = null } = readBody(adjustBody, body);
    const deltaMicros = readAmount(amount, parseSignedDollars);
    const transfer = { accountId: id, deltaMicros, reason, reference, actor: user.email };
    return dataReply(await adjustAccount({ db }, transfer));
  };
}
