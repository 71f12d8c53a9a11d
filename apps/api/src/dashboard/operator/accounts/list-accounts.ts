import type { PageQuery } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import Joi from 'joi';
import { pageReply, readQuery, toSlice } from '../../../http/query.js';
import { searchAccounts } from '../../../operations/account/search-accounts.js';
import { pageFields } from '../../page-fields.js';
import type { UserHandler } from '../../route.js';

interface Query extends PageQuery {
  readonly q: string;
}

const accountsQuery: Joi.ObjectSchema<Query> = Joi.object({
  ...pageFields(),
  q: Joi.string().allow('').trim().max(254).default('').messages({ '*': 'q must be a short text.' }),
});

/** `GET /dashboard/api/operator/accounts`: accounts whose e-mail address holds a text or whose id is it, newest first. */
export function listAccounts({ db }: { readonly db: PrismaDatabase }): UserHandler<'get /operator/accounts'> {
  return async (call) => {
    const query = readQuery(accountsQuery, call);
    const { rows, total } = await searchAccounts(db, query.q, toSlice(query));
    return pageReply(query, rows, total);
  };
}
