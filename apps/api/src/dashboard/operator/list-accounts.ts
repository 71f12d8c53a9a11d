import type { PageQuery } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import Joi from 'joi';
import type { Handler } from '../../http/call.js';
import { pageReply, sliceOf } from '../../http/page-reply.js';
import { readQuery } from '../../http/read-query.js';
import { searchAccounts } from '../../operations/account/search-accounts.js';
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
export function listAccounts({ db }: { readonly db: PrismaDatabase }): Handler<ViewerCall> {
  return async (call) => {
    const query = readQuery(accountsQuery, call);
    const { rows, total } = await searchAccounts(db, query.q, sliceOf(query));
    return pageReply(query, rows, total);
  };
}
