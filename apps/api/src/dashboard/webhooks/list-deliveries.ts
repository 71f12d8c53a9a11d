import type { PageQuery } from '@image-gateway/shared/contract';
import type { Reads } from '@image-gateway/shared/db';
import Joi from 'joi';
import { pageReply, readQuery, toSlice } from '../../http/query.js';
import { listDeliveries as findDeliveries } from '../../operations/webhook/list-deliveries.js';
import { pageFields } from '../page-fields.js';
import type { OwnerHandler } from '../route.js';

interface Query extends PageQuery {
  readonly state?: string;
}

const STATES = ['pending', 'sending', 'delivered', 'failed'];
const deliveriesQuery: Joi.ObjectSchema<Query> = Joi.object({
  ...pageFields(),
  state: Joi.string()
    .valid(...STATES)
    .messages({ '*': `state must be one of ${STATES.join(', ')}.` }),
});

/** `GET /dashboard/api/webhooks`: the account's deliveries, newest first, each with its attempts. */
export function listDeliveries({
  reads,
}: {
  readonly reads: Pick<Reads, 'ofAccount'>;
}): OwnerHandler<'get /webhooks'> {
  return async (call) => {
    const query = readQuery(deliveriesQuery, call);
    const db = reads.ofAccount(call.accountId);
    const { rows, total } = await findDeliveries(db, call.accountId, query.state, toSlice(query));
    return pageReply(query, rows, total);
  };
}
