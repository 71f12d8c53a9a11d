import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { setAccountLimits } from '../../commands/set-account-limits.js';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';

interface Body {
  readonly max_open_tasks: number | null;
  readonly key_requests_per_minute: number | null;
}

const limit = () =>
  Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .allow(null)
    .required()
    .messages({ '*': 'A limit is a whole number from 1 to 1,000,000, or empty.' });

/** What is sent. */
export const limitsBody: Joi.ObjectSchema<Body> = Joi.object({
  max_open_tasks: limit(),
  key_requests_per_minute: limit(),
}).required();

/** `POST /dashboard/api/operator/accounts/{id}/limits`: what this account may do instead of what everybody may. */
export function setLimits({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async ({ viewer, body, params: { id = '' } }) => {
    const { max_open_tasks, key_requests_per_minute } = readBody(limitsBody, body);
    await setAccountLimits(
      { db },
      {
        accountId: id,
        maxOpenTasks: max_open_tasks,
        keyRequestsPerMinute: key_requests_per_minute,
        actor: viewer.email,
      },
    );
    return dataReply({});
  };
}
