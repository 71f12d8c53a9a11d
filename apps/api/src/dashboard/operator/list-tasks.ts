import type { OpenTaskItem } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { Handler } from '../../http/call.js';
import { readQuery } from '../../http/read-query.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { listOpenTasks } from './queries/list-open-tasks.js';

const MOST = 200;
/** The fields of the query. */
export const openTasksQuery: Joi.ObjectSchema<{ stuck: boolean }> = Joi.object({
  stuck: Joi.boolean().default(false).messages({ '*': 'stuck must be true or false.' }),
});

/** `GET /dashboard/api/operator/tasks`: pending tasks of all accounts, or those that are stuck; prompts are the customers' own. */
export function listTasks({ db }: { readonly db: Pick<Database, 'run'> }): Handler<ViewerCall> {
  return async (call) => {
    const { stuck: onlyStuck } = readQuery(openTasksQuery, call);
    const tasks = await listOpenTasks(db, { onlyStuck, limit: MOST });
    return dataReply(
      tasks.map(
        (task): OpenTaskItem => ({
          id: task.id,
          account_id: task.accountId,
          email: task.email,
          model: task.model,
          phase: task.phase,
          tries: task.tries,
          attempt: task.attempt,
          stored: task.storedCount,
          asked: task.numOutputs,
          worker: task.workerId,
          held: formatDollars(task.holdMicros),
          created_at: task.createdAt.toISOString(),
          due_at: task.dueAt.toISOString(),
          lease_until: task.leaseUntil?.toISOString() ?? null,
          deadline_at: task.deadlineAt.toISOString(),
          is_stuck: task.isStuck,
        }),
      ),
    );
  };
}
