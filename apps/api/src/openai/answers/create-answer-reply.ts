import type { Readable } from 'node:stream';
import type { Semaphore } from '@image-gateway/shared/concurrency';
import type { FullTaskRow } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { ReadObject } from '../../file/create-object-reader.js';
import { FieldError } from '../../file/uploads/field-error.js';
import type { Reply } from '../../http/framework/call.js';
import { createFailureReply, explainFailure } from '../errors/create-error-reply.js';
import { createBody, encodePieces, measurePieces, type OpenImage } from './encode-images.js';
import {
  type CompletedTask,
  type ImageFormat,
  listUnused,
  presentEvents,
  presentImages,
} from './present-images.js';

/** Dependencies of writing answers. */
export interface AnswerReplyDeps {
  readonly readObject: ReadObject;
  readonly fileUrl: string;
  /** Places for writing images. Accounts take turns, and none gets all of them. */
  readonly answerPlaces: Pick<Semaphore, 'acquire'>;
}

/** How an answer is written, and for whom. */
export interface AnswerForm extends Omit<ImageFormat, 'fileUrl'> {
  readonly accountId: string;
  /** Aborted when the connection or the response has ended. */
  readonly closed: AbortSignal;
  /** True if the cost of the task is the request's, and not that of an equal one. */
  readonly isPayer: boolean;
  /** Type of the event of an image, such as `image_generation.completed`. */
  readonly eventType: string;
}

/** Finds a task of an account by its id. */
export type FindFullTask = (id: string, accountId: string) => Promise<FullTaskRow | null>;

/** Task that has ended. */
type EndedTask = CompletedTask & Pick<FullTaskRow, 'status' | 'error'>;

/** Finds a task that has ended, with its images; throws FieldError `NOT_FOUND` for one that was deleted. */
export async function findEndedTask(
  findFullTask: FindFullTask,
  id: string,
  { accountId }: Pick<AnswerForm, 'accountId'>,
): Promise<FullTaskRow> {
  const task = await findFullTask(id, accountId);
  if (!task) {
    throw new FieldError('NOT_FOUND', { reason: 'task_deleted', publicMessage: 'The task was deleted.' });
  }
  return task;
}

/** Creates the response of a task that has ended: its images, or why it failed. */
export async function createAnswerReply(
  deps: AnswerReplyDeps,
  task: EndedTask,
  form: AnswerForm,
): Promise<Reply> {
  if (task.status !== 'completed') {
    return createFailureReply(task);
  }
  const pieces = presentImages(task, { ...form, fileUrl: deps.fileUrl });
  const unused = listUnused(task, form);
  const leave = await enterPlace(deps, form);
  const body = await createBody(pieces, createOpener(deps, form)).catch((error: unknown) => {
    leave();
    throw error;
  });
  body.once('close', leave);
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(measurePieces(pieces)),
      'Cache-Control': 'no-store',
      'x-gateway-task-id': task.id,
      'x-gateway-cost': formatDollars(task.costMicros),
      // LiteLLM books it: what equal requests share is booked once.
      'x-litellm-response-cost': form.isPayer ? formatDollars(task.costMicros).slice(1) : '0',
      ...(unused.length > 0 && { 'x-gateway-unused': unused.join(', ') }),
    },
    stream: body,
  };
}

/** Yields the events of a task that has ended: one for each image, or why it failed. */
export async function* createAnswerEvents(
  deps: AnswerReplyDeps,
  task: EndedTask,
  form: AnswerForm,
): AsyncGenerator<string> {
  if (task.status !== 'completed') {
    yield formatErrorEvent(explainFailure(task.error));
    return;
  }
  const pieces = presentEvents(task, { ...form, fileUrl: deps.fileUrl }, form.eventType);
  const leave = await enterPlace(deps, form);
  try {
    yield* encodePieces(pieces, createOpener(deps, form));
  } finally {
    leave();
  }
}

/** Formats an error as the event that ends a stream. */
export function formatErrorEvent(error: object): string {
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;
}

/** Waits for a place, and returns the function that frees it; an answer of URLs needs none. */
async function enterPlace(
  { answerPlaces }: AnswerReplyDeps,
  { accountId, closed, response_format }: AnswerForm,
): Promise<() => void> {
  return response_format === 'url'
    ? () => undefined
    : answerPlaces.acquire({ key: accountId, signal: closed });
}

/** Makes the function that opens images; accounts take turns at the store. */
function createOpener({ readObject }: AnswerReplyDeps, { accountId }: AnswerForm): OpenImage {
  return async ({ key, bytes }): Promise<Readable> => {
    const body = await readObject({ key, start: 0, end: bytes - 1, address: accountId });
    if (!body) {
      throw new FieldError('NOT_FOUND', {
        reason: 'image_removed',
        publicMessage: 'The images of this task were removed.',
      });
    }
    return body;
  };
}
