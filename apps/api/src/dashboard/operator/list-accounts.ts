import type { PageQuery } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { presentAccount } from '../../cli/account/present-account.js';
import type { Handler } from '../../http/call.js';
import { pageReply, sliceOf } from '../../http/page-reply.js';
import { readQuery } from '../../http/read-query.js';
import type { ViewerCall } from '../call.js';
import { pageQuery } from '../page-query.js';

interface Query extends PageQuery {
  readonly q: string;
}

/** The fields of the query. */
export const accountsQuery: Joi.ObjectSchema<Query> = Joi.object({
  ...pageQuery(),
  q: Joi.string().allow('').trim().max(254).default('').messages({ '*': 'q must be a short text.' }),
});

/** `GET /dashboard/api/operator/accounts`: accounts whose e-mail address holds a text or whose id is it, newest first. */
export function listAccounts({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async (call) => {
    const query = readQuery(accountsQuery, call);
    const { limit, offset } = sliceOf(query);
    // The pattern characters of LIKE stand for themselves.
    const email = { contains: query.q.toLowerCase().replace(/[\\%_]/g, '\\$&') };
    const where = query.q === '' ? {} : { OR: [{ email }, { id: query.q }] };
    const [total, rows] = await Promise.all([
      db.prisma.account.count({ where }),
      db.prisma.account.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip: Number(offset),
        take: limit,
      }),
    ]);
    return pageReply(query, rows.map(presentAccount), total);
  };
}
