import { AUDIT_AUTHORS, type AuditAuthors } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { readQuery } from '../../../http/query.js';
import type { ListCursor } from '../../../operations/list-cursor.js';
import { listAudit as findAudit } from '../../../operations/system/list-audit.js';
import { cursorSchema } from '../../cursor-schema.js';
import { dataReply } from '../../data-reply.js';
import { pageFields } from '../../page-fields.js';
import type { UserHandler } from '../../route.js';

interface Query {
  readonly per_page: number;
  readonly before?: ListCursor;
  readonly subject: string;
  readonly by: AuditAuthors;
}

const auditQuery: Joi.ObjectSchema<Query> = Joi.object({
  per_page: pageFields().per_page,
  before: cursorSchema,
  subject: Joi.string().allow('').trim().max(100).default('').messages({ '*': 'subject must be an id.' }),
  by: Joi.string()
    .valid(...AUDIT_AUTHORS)
    .default('everybody')
    .messages({ '*': `by must be ${AUDIT_AUTHORS.join(' or ')}.` }),
});

/** `GET /dashboard/api/operator/audit`: changes that were made by hand, newest first, of everything or of one id, by everybody or by operators only. */
export function listAudit({
  db,
}: {
  readonly db: Pick<Database, 'run'>;
}): UserHandler<'get /operator/audit'> {
  return async (call) => {
    const { subject, by, before: after, per_page: limit } = readQuery(auditQuery, call);
    const filter = { subject: subject === '' ? null : subject, onlyOperators: by === 'operators' };
    return dataReply(await findAudit(db, { ...filter, after, limit }));
  };
}
