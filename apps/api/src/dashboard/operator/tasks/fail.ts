import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { failTask } from '../../../operations/task/fail-task.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserHandler } from '../../route.js';
import { reasonSchema } from '../reason-schema.js';

const failBody: Joi.ObjectSchema<{ reason: string }> = Joi.object({
  reason: reasonSchema(),
}).required();

/** `POST /dashboard/api/operator/tasks/{id}/fail`: ends a pending task at no cost and releases what it held; its owner reads the reason. */
export function fail(deps: {
  readonly db: Database;
  readonly fileUrl: string;
}): UserHandler<'post /operator/tasks/:id/fail'> {
  return async ({ user, body, params: { id = '' } }) => {
    const { reason } = readBody(failBody, body);
    await failTask(deps, { taskId: id, reason, actor: user.email });
    return dataReply({});
  };
}
