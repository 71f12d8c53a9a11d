import type { PageQuery } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import type { Handler } from '../../http/call.js';
import { pageReply, sliceOf } from '../../http/page-reply.js';
import { readQuery } from '../../http/read-query.js';
import type { OwnerCall } from '../call.js';
import { pageQuery } from '../page-query.js';
import { presentDeliveryItem } from '../present-delivery-item.js';

interface Query extends PageQuery {
  readonly state?: string;
}

const STATES = ['pending', 'sending', 'delivered', 'failed'];
/** The fields of the query. */
export const deliveriesQuery: Joi.ObjectSchema<Query> = Joi.object({
  ...pageQuery(),
  state: Joi.string()
    .valid(...STATES)
    .messages({ '*': `state must be one of ${STATES.join(', ')}.` }),
});

/** `GET /dashboard/api/webhooks`: the account's deliveries, newest first, each with its attempts. */
export function listDeliveries({ db }: { readonly db: Database }): Handler<OwnerCall> {
  return async (call) => {
    const query = readQuery(deliveriesQuery, call);
    const { limit, offset } = sliceOf(query);
    const where = { accountId: call.accountId, ...(query.state !== undefined && { state: query.state }) };
    const [total, rows] = await Promise.all([
      db.prisma.webhookDelivery.count({ where }),
      db.prisma.webhookDelivery.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip: Number(offset),
        take: limit,
        include: { attempts: { orderBy: { attempt: 'desc' } } },
      }),
    ]);
    return pageReply(query, rows.map(presentDeliveryItem), total);
  };
}
