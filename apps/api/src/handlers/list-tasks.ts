import { listTasks as findTasks, type Reads } from '@image-gateway/shared/db';
import { presentTask } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { omitUndefined, pageReply, readQuery, toSlice } from '../http/query.js';

/** Dependencies of the handler. */
export interface ListTasksDeps {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly queries: QuerySchemas;
  readonly fileUrl: string;
}

/** `GET /v1/tasks`: the tasks of the caller's account, newest first, each as `GET /v1/tasks/{id}` returns it. */
export function listTasks(deps: ListTasksDeps): Handler<KeyCall> {
  return async (call) => {
    const query = readQuery(deps.queries.tasks, call);
    const { status, model, type, created_after: createdAfter, created_before: createdBefore } = query;
    const filter = omitUndefined({ status, model, type, createdAfter, createdBefore });
    const db = deps.reads.ofAccount(call.caller.accountId, 'created_after and created_before');
    const { rows, total } = await findTasks(db, call.caller.accountId, filter, toSlice(query));
    const items = rows.map((row) => presentTask(row, deps.fileUrl));
    return pageReply(query, items, total);
  };
}
