import { ok } from '@image-gateway/shared/contract';
import { type Database, findOwnTask } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { presentTask } from '@image-gateway/shared/presenters';
import type { Handler, KeyCall } from '../http/call.js';

/** `GET /v1/tasks/{id}`: the caller's task; somebody else's is as unknown as one that never was. */
export function getTask({
  db,
  fileUrl,
}: {
  readonly db: Database;
  readonly fileUrl: string;
}): Handler<KeyCall> {
  return async (call) => {
    const id = call.params.id ?? '';
    const task = /^gen_[0-9A-Za-z]{1,64}$/.test(id) ? await findOwnTask(db, id, call.caller.accountId) : null;
    if (!task) throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, json: ok(presentTask(task, fileUrl)) };
  };
}
