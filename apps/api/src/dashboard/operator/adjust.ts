import { adjustAccount } from '@image-gateway/shared/billing';
import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars, parseSignedDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import { readAmount } from './read-amount.js';
import { reasonSchema } from './reason-schema.js';

/** What is sent. */
export const adjustBody: Joi.ObjectSchema<{ amount: string; reason: string }> = Joi.object({
  amount: Joi.string().max(40).required().messages({ '*': 'Enter an amount in dollars such as -1.00.' }),
  reason: reasonSchema(),
}).required();

/** `POST /dashboard/api/operator/accounts/{id}/adjust`: corrects a balance in either direction, never below what is held. */
export function adjust({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async ({ viewer, body, params: { id = '' } }) => {
    const { amount, reason } = readBody(adjustBody, body);
    const deltaMicros = readAmount(amount, parseSignedDollars);
    const audit = { actor: viewer.email, amount: formatDollars(deltaMicros), reason };
    await adjustAccount({ db, newId }, { accountId: id, deltaMicros, reason, audit });
    return dataReply({});
  };
}
