import type { Database } from '@image-gateway/shared/db';
import { findWholeTask } from '../../cli/task/find-whole-task.js';
import { presentWholeTask } from '../../cli/task/present-whole-task.js';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/operator/tasks/{id}`: what `task show` of the command line gives, without what the customer wrote. */
export function getTask({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async ({ params: { id = '' } }) =>
    dataReply(presentWholeTask(await findWholeTask(db, id), { verbose: false }));
}
