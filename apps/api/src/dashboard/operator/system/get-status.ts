import { STATUS_SPANS, type StatusSpan } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { readQuery } from '../../../http/query.js';
import { findStatus } from '../../../operations/status/find-status.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

const statusQuery: Joi.ObjectSchema<{ span: StatusSpan }> = Joi.object({
  span: Joi.string()
    .valid(...STATUS_SPANS)
    .default('day')
    .messages({ '*': `span must be ${STATUS_SPANS.join(', ')}.` }),
});

/** `GET /dashboard/api/operator/status`: throughput, times, success by provider and money by hours or days. */
export function getStatus({
  db,
}: {
  readonly db: Pick<Database, 'run'>;
}): UserHandler<'get /operator/status'> {
  return async (call) => dataReply(await findStatus(db, readQuery(statusQuery, call).span));
}
