import { buildPagination, toSlice } from '@image-gateway/shared/contract';
import {
  type AccountReads,
  findShownTasks,
  listNewestTasks,
  listTasks,
  type NewestTasks,
  type Reads,
} from '@image-gateway/shared/db';
import { presentTask } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { omitUndefined, pageReply, readQuery } from '../http/query.js';
import { createShown, type EndedTasks, wrapJson } from './shown-tasks.js';

/** Dependencies of the handler. */
export interface ListTasksDeps {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly queries: QuerySchemas;
  readonly fileUrl: string;
  readonly ended: EndedTasks;
}

/**
 * `GET /v1/tasks`: the tasks of the caller's account, newest first, each as `GET /v1/tasks/{id}` returns it. Finished tasks on a first
 * page without a filter come from the cache.
 */
export function listTasksHandler(deps: ListTasksDeps): Handler<KeyCall> {
  return async (call) => {
    const query = readQuery(deps.queries.tasks, call);
    const { page, per_page: perPage, status, model, type, metadata, ...times } = query;
    const { created_after: createdAfter, created_before: createdBefore } = times;
    const filter = omitUndefined({ status, model, type, createdAfter, createdBefore, metadata });
    const { accountId } = call.caller;
    const db = deps.reads.ofAccount(accountId);
    const newest =
      Object.keys(filter).length === 0 ? await listNewestTasks(db, accountId, toSlice(query)) : null;
    if (newest) {
      const items = (await writeTasks(deps, db, newest)).join(',');
      const pagination = JSON.stringify(buildPagination(page, perPage, newest.total));
      return {
        status: 200,
        headers: { 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' },
        text: wrapJson(`{"items":[${items}],"pagination":${pagination}}`),
      };
    }
    const { rows, total } = await listTasks(db, accountId, filter, toSlice(query));
    const items = rows.map((row) => presentTask(row, deps.fileUrl));
    return pageReply(query, items, total);
  };
}

/** Returns the JSON of each task; one that is deleted meanwhile is left out. */
async function writeTasks(
  { ended, fileUrl }: ListTasksDeps,
  db: AccountReads,
  { ids, pending }: NewestTasks,
): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  const missing: string[] = [];
  for (const id of ids) {
    const task = pending.get(id);
    const json = task ? JSON.stringify(presentTask(task, fileUrl)) : ended.get(id)?.json;
    if (json === undefined) {
      missing.push(id);
    } else {
      texts.set(id, json);
    }
  }
  for (const task of missing.length > 0 ? await findShownTasks(db, missing) : []) {
    const shown = createShown(task, task, presentTask(task, fileUrl));
    ended.set(task.id, shown);
    texts.set(task.id, shown.json);
  }
  return ids.flatMap((id) => texts.get(id) ?? []);
}
