import type { PageQuery } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import Joi from 'joi';
import type { Handler } from '../../../http/framework/call.js';
import { pageReply, toSlice } from '../../../http/query.js';
import { readQuery } from '../../../http/read-query.js';
import { listAudit as findAudit } from '../../../operations/system/list-audit.js';
import { pageFields } from '../../page-fields.js';
import type { UserCall } from '../../route.js';

interface Query extends PageQuery {
  readonly subject: string;
}

/** The fields of the query. */
export const auditQuery: Joi.ObjectSchema<Query> = Joi.object({
  ...pageFields(),
  subject: Joi.string().allow('').trim().max(100).default('').messages({ '*': 'subject must be an id.' }),
});

/** `GET /dashboard/api/operator/audit`: changes that were made by hand, newest first, of everything or of one id. */
export function listAudit({ db }: { readonly db: PrismaDatabase }): Handler<UserCall> {
  return async (call) => {
    const query = readQuery(auditQuery, call);
    const subject = query.subject === '' ? null : query.subject;
    const { rows, total } = await findAudit(db, subject, toSlice(query));
    return pageReply(query, rows, total);
  };
}
