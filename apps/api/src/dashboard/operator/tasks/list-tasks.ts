import type { Database } from '@image-gateway/shared/db';
import Joi from 'joi';
import { readQuery } from '../../../http/query.js';
import { listOpenTasks } from '../../../operations/task/list-open-tasks.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

const MAX_TASKS = 200;
const openTasksQuery: Joi.ObjectSchema<{ stuck: boolean }> = Joi.object({
  stuck: Joi.boolean().default(false).messages({ '*': 'stuck must be true or false.' }),
});

/** `GET /dashboard/api/operator/tasks`: pending tasks of all accounts, or those that are stuck; prompts are the customers' own. */
export function listTasks({
  db,
}: {
  readonly db: Pick<Database, 'run'>;
}): UserHandler<'get /operator/tasks'> {
  return async (call) => {
    const { stuck: onlyStuck } = readQuery(openTasksQuery, call);
    return dataReply(await listOpenTasks(db, { onlyStuck, limit: MAX_TASKS }));
  };
}
