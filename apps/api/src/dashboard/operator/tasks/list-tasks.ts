import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import type { Handler } from '../../../http/framework/call.js';
import { readQuery } from '../../../http/read-query.js';
import { listOpenTasks } from '../../../operations/task/list-open-tasks.js';
import { dataReply } from '../../data-reply.js';
import type { UserCall } from '../../route.js';

const MAX_TASKS = 200;
/** The fields of the query. */
export const openTasksQuery: Joi.ObjectSchema<{ stuck: boolean }> = Joi.object({
  stuck: Joi.boolean().default(false).messages({ '*': 'stuck must be true or false.' }),
});

/** `GET /dashboard/api/operator/tasks`: pending tasks of all accounts, or those that are stuck; prompts are the customers' own. */
export function listTasks({ db }: { readonly db: Pick<Database, 'run'> }): Handler<UserCall> {
  return async (call) => {
    const { stuck: onlyStuck } = readQuery(openTasksQuery, call);
    return dataReply(await listOpenTasks(db, { onlyStuck, limit: MAX_TASKS }));
  };
}
