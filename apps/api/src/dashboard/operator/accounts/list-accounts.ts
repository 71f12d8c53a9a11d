import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { readQuery } from '../../../http/query.js';
import { searchAccounts } from '../../../operations/account/search-accounts.js';
import type { ListCursor } from '../../../operations/list-cursor.js';
import { cursorSchema } from '../../cursor-schema.js';
import { dataReply } from '../../data-reply.js';
import { pageFields } from '../../page-fields.js';
import type { UserHandler } from '../../route.js';

interface Query {
  readonly per_page: number;
  readonly before?: ListCursor;
  readonly q: string;
}

const accountsQuery: Joi.ObjectSchema<Query> = Joi.object({
  per_page: pageFields().per_page,
  before: cursorSchema,
  q: Joi.string().allow('').trim().max(254).default('').messages({ '*': 'q must be a short text.' }),
});

/** `GET /dashboard/api/operator/accounts`: accounts whose e-mail address holds a text or whose id is it, newest first, part by part. */
export function listAccounts({
  db,
}: {
  readonly db: Pick<Database, 'run'>;
}): UserHandler<'get /operator/accounts'> {
  return async (call) => {
    const { q: text, before: after, per_page: limit } = readQuery(accountsQuery, call);
    return dataReply(await searchAccounts(db, { text, after, limit }));
  };
}
