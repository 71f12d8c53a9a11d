import { refundTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { list, nothing, object, reasonBody, text } from '@image-gateway/shared/schema';
import { openTaskItem, openTasksQuery, wholeTask } from '@image-gateway/shared/task/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute } from '../http/define-route.js';
import { failTask } from './fail-task.js';
import { findTaskDetail } from './find-task-detail.js';
import { listOpenTasks } from './list-open-tasks.js';
import { requeueTask } from './requeue-task.js';

const MAX_TASKS = 200;

/** Routes with which operators look after tasks of all accounts; what customers wrote stays their own. */
export function openTaskRoutes({
  db,
  operatorReads,
  fileUrl,
}: Pick<DashboardDeps, 'db' | 'operatorReads' | 'fileUrl'>) {
  return [
    defineRoute({
      door: 'dashboard',
      method: 'get',
      path: '/operator/tasks',
      access: 'session',
      roles: ['operator'],
      summary: 'List open tasks',
      response: list(openTaskItem),

      query: openTasksQuery,
      run: ({ input: { stuck: onlyStuck } }) => listOpenTasks(operatorReads, { onlyStuck, limit: MAX_TASKS }),
    }),
    defineRoute({
      door: 'dashboard',
      method: 'get',
      path: '/operator/tasks/:id',
      access: 'session',
      roles: ['operator'],
      summary: 'Read a task with all its rows',
      response: wholeTask,

      run: ({ params: { id = '' } }) => findTaskDetail(operatorReads, id, { verbose: false }),
    }),
    // A queued task gets all its tries again and is due now.
    defineRoute({
      door: 'dashboard',
      method: 'post',
      path: '/operator/tasks/:id/requeue',
      access: 'session',
      roles: ['operator'],
      summary: 'Give a queued task all its tries again',
      response: nothing,

      run: ({ user, params: { id = '' } }) => requeueTask({ db }, { taskId: id, actor: user.email }),
    }),
    // Ends a pending task at no cost; its owner reads the reason.
    defineRoute({
      door: 'dashboard',
      method: 'post',
      path: '/operator/tasks/:id/fail',
      access: 'session',
      roles: ['operator'],
      summary: 'End a pending task at no cost',
      response: nothing,

      body: reasonBody,
      run: ({ user, input: { reason }, params: { id = '' } }) =>
        failTask({ db, fileUrl }, { taskId: id, reason, actor: user.email }),
    }),
    defineRoute({
      door: 'dashboard',
      method: 'post',
      path: '/operator/tasks/:id/refund',
      access: 'session',
      roles: ['operator'],
      summary: 'Refund a task',
      response: object({ refunded: text() }),

      body: reasonBody,
      run: async ({ user, input: { reason }, params: { id = '' } }) => {
        const transfer = await refundTask({ db, newId }, { taskId: id, reason, actor: user.email });
        return { refunded: formatDollars(transfer.amountMicros) };
      },
    }),
  ];
}
