import type { FindShownTask, FullTaskRow } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { isId } from '@image-gateway/shared/ids';
import { presentFullTask, presentTask } from '@image-gateway/shared/presenters';
import type { QuerySchemas } from '@image-gateway/shared/validation';
import fresh from 'fresh';
import type { Caller, Handler, KeyCall, Reply } from '../http/framework/call.js';
import { maySeeTask } from '../http/keys/key-rights.js';
import { readQuery } from '../http/query.js';
import { createShown, type EndedTasks, type Shown, wrapJson } from './shown-tasks.js';
import type { TaskWaits } from './waiting/create-task-waits.js';

/** Dependencies of the handler. */
export interface GetTaskDeps {
  readonly findTask: FindShownTask;
  readonly findFullTask: (id: string, accountId: string) => Promise<FullTaskRow | null>;
  readonly waits: TaskWaits;
  readonly queries: QuerySchemas;
  readonly fileUrl: string;
  readonly ended: EndedTasks;
}

/**
 * `GET /v1/tasks/{id}`: a task of the caller's account; tasks of other accounts are 404, without the scope `read` those of other
 * keys too. With `wait` the response comes at its end. A finished task never changes until it is deleted, so its response is cached.
 */
export function getTask(deps: GetTaskDeps): Handler<KeyCall> {
  const { findTask, findFullTask, fileUrl, waits, queries, ended } = deps;
  const look = async (id: string, caller: Caller): Promise<Shown | null> => {
    const known = ended.getFresh(id);
    if (known) {
      return maySeeTask(caller, known) ? known : null;
    }
    const task = isId('gen', id) ? await findTask(id, caller.accountId) : null;
    if (!task || !maySeeTask(caller, task)) {
      return null;
    }
    const shown = createShown(task, task, presentTask(task, fileUrl));
    if (!shown.isPending) {
      ended.set(id, shown);
    }
    return shown;
  };
  return async (call) => {
    const { wait: seconds, view } = readQuery(queries.task, call);
    const { caller } = call;
    const id = call.params.id ?? '';
    let shown = await look(id, caller);
    if (shown?.isPending && seconds !== undefined) {
      const wait = waits.enter(caller.accountId, call.holdOpen())?.({ id, status: 'pending' });
      await wait?.(seconds * 1_000);
      shown = wait ? await look(id, caller) : shown;
    }
    if (!shown) {
      throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
    }
    if (view === 'full') {
      const full = await findFullTask(id, caller.accountId);
      shown = full ? createShown(full, shown, presentFullTask(full, fileUrl)) : shown;
    }
    return createReply(shown, call);
  };
}

function createReply({ json, etag }: Shown, call: KeyCall): Reply {
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  if (fresh({ 'if-none-match': call.header('if-none-match').join(', ') }, { etag })) {
    return { status: 304, headers };
  }
  return {
    status: 200,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    text: wrapJson(json),
  };
}
