import { cancelTask, refundTask } from '@image-gateway/shared/billing';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { list, nothing, object, reasonBody, text } from '@image-gateway/shared/schema';
import {
  openTaskItem,
  openTasksQuery,
  taskLog,
  taskLogQuery,
  wholeTask,
} from '@image-gateway/shared/task/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, operators } from '../http/define-route.js';
import { failTask } from './fail-task.js';
import { findTaskDetail } from './find-task-detail.js';
import { listOpenTasks } from './list-open-tasks.js';
import { listTaskLog } from './list-task-log.js';
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
      ...operators,
      method: 'get',
      path: '/operator/tasks',
      summary: 'List open tasks',
      response: list(openTaskItem),

      query: openTasksQuery,
      run: ({ input: { stuck: onlyStuck } }) => listOpenTasks(operatorReads, { onlyStuck, limit: MAX_TASKS }),
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/task-log',
      summary: 'List tasks of all accounts by what they have',
      response: taskLog,

      query: taskLogQuery,
      run: ({
        input: { before: after, per_page: limit, account, key, model, provider, request, ...filter },
      }) =>
        listTaskLog(operatorReads, {
          ...filter,
          accountId: account || undefined,
          apiKeyId: key || undefined,
          model: model || undefined,
          provider: provider || undefined,
          request: request || undefined,
          after,
          limit,
        }),
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/tasks/:id',
      summary: 'Read a task with all its rows',
      response: wholeTask,

      run: async ({ params: { id = '' } }) => {
        const { outputs, ...task } = await findTaskDetail(operatorReads, id, { verbose: false });
        return {
          ...task,
          outputs: outputs.map((output) => ({ ...output, url: `${fileUrl}/${output.key}` })),
        };
      },
    }),
    // A queued task gets all its tries again and is due now.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/tasks/:id/requeue',
      summary: 'Give a queued task all its tries again',
      response: nothing,

      run: ({ user, params: { id = '' } }) => requeueTask({ db }, { taskId: id, actor: user.email }),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/tasks/:id/cancel',
      summary: 'Cancel a task of any account',
      response: nothing,

      run: async ({ user, params: { id = '' } }) => {
        const task = { taskId: id, accountId: null, actor: user.email };
        if ((await cancelTask({ db, newId, fileUrl }, task)) === 'unknown') {
          throw notFound('task', id);
        }
      },
    }),
    // Ends a pending task at no cost; its owner reads the reason.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/tasks/:id/fail',
      summary: 'End a pending task at no cost',
      response: nothing,

      body: reasonBody,
      run: ({ user, input: { reason }, params: { id = '' } }) =>
        failTask({ db, fileUrl }, { taskId: id, reason, actor: user.email }),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/tasks/:id/refund',
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
