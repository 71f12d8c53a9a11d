import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import type { Handler } from '../../../http/framework/call.js';
import { failTask } from '../../../operations/task/fail-task.js';
import { dataReply } from '../../data-reply.js';
import { readBody } from '../../read-body.js';
import type { UserCall } from '../../route.js';
import { reasonSchema } from '../reason-schema.js';

/** What is sent. */
export const failBody: Joi.ObjectSchema<{ reason: string }> = Joi.object({
  reason: reasonSchema(),
}).required();

/** `POST /dashboard/api/operator/tasks/{id}/fail`: ends a pending task at no cost and releases what it held; its owner reads the reason. */
export function fail(deps: { readonly db: Database; readonly fileUrl: string }): Handler<UserCall> {
  return async ({ user, body, params: { id = '' } }) => {
    const { reason } = readBody(failBody, body);
    await failTask(deps, { taskId: id, reason, actor: user.email });
    return dataReply({});
  };
}
