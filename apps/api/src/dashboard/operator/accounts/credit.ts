import type { Database } from '@image-gateway/shared/db';
import { parseDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import { creditAccount } from '../../../operations/account/credit-account.js';
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

const creditBody: Joi.ObjectSchema<Body> = Joi.object({
  amount: Joi.string().max(40).required().messages({ '*': 'Enter an amount in dollars such as 5.00.' }),
  reason: reasonSchema(),
  reference: referenceSchema(),
}).required();

/** `POST /dashboard/api/operator/accounts/{id}/credit`: tops an account up, once for each reference. */
export function credit({ db }: { readonly db: Database }): UserHandler<'post /operator/accounts/:id/credit'> {
  return async ({ user, body, params: { id = '' } }) => {
    const { amount, reason, reference = null } = readBody(creditBody, body);
    const amountMicros = readAmount(amount, parseDollars);
    const transfer = { accountId: id, amountMicros, reason, reference, actor: user.email };
    return dataReply(await creditAccount({ db }, transfer));
  };
}
