import { refundTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { DashboardDeps } from '../dashboard-deps.js';
import { reasonField } from '../http/session/form-fields.js';
import { type DashboardRoute, operator } from '../http/session/route.js';
import { failTask } from './fail-task.js';
import { findTaskDetail } from './find-task-detail.js';
import { listOpenTasks } from './list-open-tasks.js';
import { requeueTask } from './requeue-task.js';

const MAX_TASKS = 200;

const openTasksQuery: Joi.ObjectSchema<{ stuck: boolean }> = Joi.object({
  stuck: Joi.boolean().default(false).messages({ '*': 'stuck must be true or false.' }),
});
const reasonBody: Joi.ObjectSchema<{ reason: string }> = Joi.object({ reason: reasonField }).required();

/** Routes with which operators look after tasks of all accounts; what customers wrote stays their own. */
export function openTaskRoutes({
  db,
  operatorReads,
  fileUrl,
}: Pick<DashboardDeps, 'db' | 'operatorReads' | 'fileUrl'>): readonly DashboardRoute[] {
  return [
    operator('get /operator/tasks', {
      query: openTasksQuery,
      run: ({ input: { stuck: onlyStuck } }) => listOpenTasks(operatorReads, { onlyStuck, limit: MAX_TASKS }),
    }),
    operator('get /operator/tasks/:id', {
      run: ({ params: { id = '' } }) => findTaskDetail(operatorReads, id, { verbose: false }),
    }),
    // A queued task gets all its tries again and is due now.
    operator('post /operator/tasks/:id/requeue', {
      run: ({ user, params: { id = '' } }) => requeueTask({ db }, { taskId: id, actor: user.email }),
    }),
    // Ends a pending task at no cost; its owner reads the reason.
    operator('post /operator/tasks/:id/fail', {
      body: reasonBody,
      run: ({ user, input: { reason }, params: { id = '' } }) =>
        failTask({ db, fileUrl }, { taskId: id, reason, actor: user.email }),
    }),
    operator('post /operator/tasks/:id/refund', {
      body: reasonBody,
      run: async ({ user, input: { reason }, params: { id = '' } }) => {
        const transfer = await refundTask({ db, newId }, { taskId: id, reason, actor: user.email });
        return { refunded: formatDollars(transfer.amountMicros) };
      },
    }),
  ];
}
