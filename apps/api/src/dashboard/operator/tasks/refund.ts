import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { refundTask } from '../../../operations/task/refund-task.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';
import { reasonSchema } from '../reason-schema.js';

const refundBody: Joi.ObjectSchema<{ reason: string }> = Joi.object({
  reason: reasonSchema(),
}).required();

/** `POST /dashboard/api/operator/tasks/{id}/refund`: gives back all that a completed task cost, once. */
export function refund({ db }: { readonly db: Database }): UserHandler<'post /operator/tasks/:id/refund'> {
  return async ({ user, body, params: { id = '' } }) => {
    const { reason } = readBody(refundBody, body);
    return dataReply(await refundTask({ db }, { taskId: id, reason, actor: user.email }));
  };
}
