import { Readable } from 'node:stream';
import { toAppError } from '@image-gateway/shared/errors';
import type { Reply } from '../../http/framework/call.js';
import type { TaskWaits, WaitForEnd } from '../../task/waiting/create-task-waits.js';
import { toOpenaiError } from '../errors/create-error-reply.js';
import type { AnswerClaim } from './claim-answer.js';
import {
  type AnswerForm,
  type AnswerReplyDeps,
  createAnswerEvents,
  type FindFullTask,
  findEndedTask,
  formatErrorEvent,
} from './create-answer-reply.js';

/** Dependencies of streams. */
export interface StreamDeps extends AnswerReplyDeps {
  readonly waits: Pick<TaskWaits, 'isStopped'>;
  readonly findFullTask: FindFullTask;
}

/** Proxies end connections without a byte; nginx does so after 60 s. */
const COMMENT_EVERY_MS = 10_000;

/** Creates the response that says every ten seconds that the task is under way, and at its end sends its images as events. */
export function streamAnswer(
  deps: StreamDeps,
  {
    claim,
    form,
    wait,
    closed,
  }: {
    readonly claim: AnswerClaim;
    readonly form: AnswerForm;
    readonly wait: WaitForEnd;
    readonly closed: AbortSignal;
  },
): Reply {
  let isWhole = false;
  const follow = async function* () {
    const { id } = claim.task;
    yield ': waiting\n\n';
    try {
      while ((await wait(COMMENT_EVERY_MS)) !== 'ended') {
        if (closed.aborted) {
          return;
        }
        if (deps.waits.isStopped()) {
          await claim.finish(false);
          yield formatErrorEvent({
            type: 'server_error',
            param: null,
            code: null,
            message: 'The service is restarting. Repeat the same request to get the images.',
          });
          return;
        }
        yield ': waiting\n\n';
      }
      yield* createAnswerEvents(deps, await findEndedTask(deps.findFullTask, id, form), form);
      isWhole = true;
    } catch (error) {
      await claim.finish(false);
      yield formatErrorEvent(toOpenaiError(toAppError(error)));
    }
  };
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Otherwise nginx would hold events back.
      'X-Accel-Buffering': 'no',
      'x-gateway-task-id': claim.task.id,
      ...(claim.replayed && { 'Idempotent-Replayed': 'true' }),
    },
    stream: Readable.from(follow()),
    onEnd: (isDelivered) => void claim.finish(isDelivered && isWhole),
  };
}
