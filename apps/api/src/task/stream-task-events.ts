import { Readable } from 'node:stream';
import type { FindShownTask, ShownTask } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { isId } from '@image-gateway/shared/ids';
import { presentTask } from '@image-gateway/shared/presenters';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { maySeeTask } from '../http/keys/key-rights.js';
import type { TaskWaits } from './waiting/create-task-waits.js';
import { createNoPlaceError } from './waiting/create-wait-places.js';

/** Dependencies of the handler. */
export interface StreamTaskEventsDeps {
  readonly findTask: FindShownTask;
  readonly waits: TaskWaits;
  readonly fileUrl: string;
}

/** Proxies end connections without a byte; nginx does so after 60 s. */
const COMMENT_EVERY_MS = 10_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  // Otherwise nginx would hold events back.
  'X-Accel-Buffering': 'no',
};

/** `GET /v1/tasks/{id}/events`: server-sent events with the task as it is now and at its end. */
export function streamTaskEvents({ findTask, waits, fileUrl }: StreamTaskEventsDeps): Handler<KeyCall> {
  const format = (task: ShownTask): string =>
    `event: status\nid: ${task.status}\ndata: ${JSON.stringify(presentTask(task, fileUrl))}\n\n`;

  return async (call) => {
    const { accountId } = call.caller;
    const id = call.params.id ?? '';
    const find = async () => {
      const found = isId('gen', id) ? await findTask(id, accountId) : null;
      return found && maySeeTask(call.caller, found) ? found : null;
    };
    const task = await find();
    if (!task) {
      throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
    }
    if (task.status !== 'pending') {
      return { status: 200, headers: HEADERS, text: format(task) };
    }
    const closed = call.holdOpen();
    const wait = waits.enter(accountId, closed)?.(task);
    if (!wait) {
      throw createNoPlaceError();
    }
    const follow = async function* () {
      yield format(task);
      while ((await wait(COMMENT_EVERY_MS)) !== 'ended') {
        if (closed.aborted || waits.isStopped()) {
          return;
        }
        yield ': waiting\n\n';
      }
      const ended = await find();
      if (ended) {
        yield format(ended);
      }
    };
    return { status: 200, headers: HEADERS, stream: Readable.from(follow(), { objectMode: false }) };
  };
}
