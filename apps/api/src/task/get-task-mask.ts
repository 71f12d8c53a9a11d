import { findOwnTask } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { parseInputEntry } from '@image-gateway/shared/ids';
import type { DashboardDeps } from '../dashboard-deps.js';
import type { OwnerCall } from '../http/define-route.js';
import type { Handler } from '../http/framework/call.js';

/** Handler that sends the mask of a task, which is kept for 24 hours after the task's end. */
export function getTaskMask({
  db,
  store,
  readObject,
}: Pick<DashboardDeps, 'db' | 'store' | 'readObject'>): Handler<OwnerCall> {
  return async (call) => {
    const { accountId } = call;
    const { id = '' } = call.params;
    const task = await findOwnTask(db, id, accountId);
    if (!task) {
      throw notFound('task', id);
    }
    const key = parseInputEntry(task.mask ?? '')?.key;
    const info = key === undefined ? null : await store.stat(key);
    const stream =
      key !== undefined && info
        ? await readObject({ key, start: 0, end: info.bytes - 1, address: accountId })
        : null;
    if (!info || !stream) {
      throw new AppError('NOT_FOUND', {
        publicMessage: 'There is no mask. It is deleted 24 hours after the end of its task.',
      });
    }
    call.holdOpen();
    return {
      status: 200,
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(info.bytes),
        'Cache-Control': 'private, no-store',
        'X-Content-Type-Options': 'nosniff',
      },
      stream,
      ownsChunks: true,
    };
  };
}
