import type { QuerySchemas } from '@image-gateway/shared/contract';
import { type Database, listTasks } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import { defined } from '../../http/defined.js';
import { pageReply, sliceOf } from '../../http/page-reply.js';
import { readQuery } from '../../http/read-query.js';
import type { OwnerCall } from '../call.js';
import { presentTaskItem } from '../present-task-item.js';

/** `GET /dashboard/api/tasks`: the account's tasks with the filters of the public list, and what each was asked. */
export function listOwnTasks(deps: {
  readonly db: Pick<Database, 'run'>;
  readonly schema: QuerySchemas['tasks'];
  readonly fileUrl: string;
}): Handler<OwnerCall> {
  return async (call) => {
    const query = readQuery(deps.schema, call);
    const { status, model, type, created_after: createdAfter, created_before: createdBefore } = query;
    const filter = defined({ status, model, type, createdAfter, createdBefore });
    const { rows, total } = await listTasks(deps.db, call.accountId, filter, sliceOf(query));
    const items = rows.map((row) => presentTaskItem(row, deps.fileUrl));
    return pageReply(query, items, total);
  };
}
