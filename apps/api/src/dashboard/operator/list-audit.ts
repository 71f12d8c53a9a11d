import type { AuditItem, PageQuery } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import type { Handler } from '../../http/call.js';
import { pageReply, sliceOf } from '../../http/page-reply.js';
import { readQuery } from '../../http/read-query.js';
import type { ViewerCall } from '../call.js';
import { pageQuery } from '../page-query.js';

interface Query extends PageQuery {
  readonly subject: string;
}

/** The fields of the query. */
export const auditQuery: Joi.ObjectSchema<Query> = Joi.object({
  ...pageQuery(),
  subject: Joi.string().allow('').trim().max(100).default('').messages({ '*': 'subject must be an id.' }),
});

/** `GET /dashboard/api/operator/audit`: changes that were made by hand, newest first, of everything or of one id. */
export function listAudit({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async (call) => {
    const query = readQuery(auditQuery, call);
    const { limit, offset } = sliceOf(query);
    const where = query.subject === '' ? {} : { subject: query.subject };
    const [total, rows] = await Promise.all([
      db.prisma.auditEntry.count({ where }),
      db.prisma.auditEntry.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip: Number(offset),
        take: limit,
      }),
    ]);
    const items = rows.map(({ id, action, subject, detail, createdAt }): AuditItem => {
      const { actor = 'unknown', ...rest } = detail as Record<string, unknown>;
      return { id, action, subject, actor: String(actor), detail: rest, created_at: createdAt.toISOString() };
    });
    return pageReply(query, items, total);
  };
}
