import { listTasks, type Reads } from '@image-gateway/shared/db';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import { omitUndefined, pageReply, readQuery, toSlice } from '../../http/query.js';
import { presentTaskItem } from '../../operations/task/present-task-item.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/tasks`: the account's tasks with the filters of the public list and their prompts. */
export function listOwnTasks(deps: {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly queries: Pick<QuerySchemas, 'tasks'>;
  readonly fileUrl: string;
}): OwnerHandler<'get /tasks'> {
  return async (call) => {
    const query = readQuery(deps.queries.tasks, call);
    const { status, model, type, created_after: createdAfter, created_before: createdBefore } = query;
    const filter = omitUndefined({ status, model, type, createdAfter, createdBefore });
    const db = deps.reads.ofAccount(call.accountId);
    const { rows, total } = await listTasks(db, call.accountId, filter, toSlice(query));
    const items = rows.map((row) => presentTaskItem(row, deps.fileUrl));
    return pageReply(query, items, total);
  };
}
