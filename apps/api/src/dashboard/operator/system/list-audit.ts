import type { PageQuery } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import Joi from 'joi';
import { pageReply, readQuery, toSlice } from '../../../http/query.js';
import { listAudit as findAudit } from '../../../operations/system/list-audit.js';
import { pageFields } from '../../page-fields.js';
import type { UserHandler } from '../../route.js';

interface Query extends PageQuery {
  readonly subject: string;
}

const auditQuery: Joi.ObjectSchema<Query> = Joi.object({
  ...pageFields(),
  subject: Joi.string().allow('').trim().max(100).default('').messages({ '*': 'subject must be an id.' }),
});

/** `GET /dashboard/api/operator/audit`: changes that were made by hand, newest first, of everything or of one id. */
export function listAudit({ db }: { readonly db: PrismaDatabase }): UserHandler<'get /operator/audit'> {
  return async (call) => {
    const query = readQuery(auditQuery, call);
    const subject = query.subject === '' ? null : query.subject;
    const { rows, total } = await findAudit(db, subject, toSlice(query));
    return pageReply(query, rows, total);
  };
}
