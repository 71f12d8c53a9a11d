import { AppError, toAppError } from '@image-gateway/shared/errors';
import { invalidField } from '../../file/uploads/field-error.js';
import type { GivenImages } from '../../file/uploads/store-inputs.js';
import type { KeyCall, Reply } from '../../http/framework/call.js';
import { replyAccepted } from '../../task/generate-handler.js';
import type { JoinTask, TaskWaits, WaitForEnd } from '../../task/waiting/create-task-waits.js';
import { createNoPlaceError } from '../../task/waiting/create-wait-places.js';
import { prepareSubmit, type SubmitDeps } from '../request/prepare-submit.js';
import { readFingerprint } from '../request/read-fingerprint.js';
import type { ImageFields } from '../request/read-image-fields.js';
import type { AnswerClaim, ClaimAnswer } from './claim-answer.js';
import {
  type AnswerForm,
  type AnswerReplyDeps,
  createAnswerReply,
  type FindFullTask,
  findEndedTask,
} from './create-answer-reply.js';
import { getWaitMs } from './get-wait-ms.js';
import { replyAsyncAccepted } from './present-async-task.js';
import { streamAnswer } from './stream-answer.js';

/** Dependencies of answering with images. */
export interface AnswerDeps extends SubmitDeps, AnswerReplyDeps {
  readonly claimAnswer: ClaimAnswer;
  readonly waits: TaskWaits;
  readonly findFullTask: FindFullTask;
  /** FACADE_MAX_WAIT in milliseconds. */
  readonly maxWaitMs: number;
}

/** Request for images. */
export interface ImageOrder extends GivenImages {
  /** Path of the route. */
  readonly path: string;
  readonly fields: ImageFields;
  readonly eventType: string;
  /** True for a route that answers with the accepted task in its own dialect. */
  readonly isAsyncRoute?: boolean;
  /** Fields that have no effect on an answer without images. */
  readonly ignored?: readonly string[];
  /** Called when the images are stored, or are not needed. */
  readonly onClaimed?: () => Promise<void>;
}

/** Submits a task, waits for its end and answers with its images, or at once with a `202` if the request says so. */
export async function answerImages(deps: AnswerDeps, call: KeyCall, order: ImageOrder): Promise<Reply> {
  const { accountId, apiKeyId, joinEqual } = call.caller;
  const { fields } = order;
  const fingerprint = readFingerprint({
    ...order,
    inputs: order.images.map(({ digest }) => digest),
    mask: order.mask?.digest,
  });
  if (order.isAsyncRoute && fields.stream) {
    throw invalidField('stream', 'stream is for requests that wait for their images.');
  }
  const { submit, idempotencyKey } = await prepareSubmit(deps, call, { ...order, fingerprint });
  const closed = call.holdOpen();
  const isPreferred = prefersAsync(call.header('prefer'));
  const isAsync = order.isAsyncRoute || fields.async || isPreferred;
  const join = isAsync ? null : enterWait(deps, accountId, closed);
  const waitMs = getWaitMs({
    maxMs: deps.maxWaitMs,
    header: call.header,
    elapsedMs: performance.now() - call.startedAt,
  });
  const claimedAt = performance.now();
  const claim = await deps.claimAnswer({
    accountId,
    apiKeyId,
    fingerprint,
    submit,
    closed,
    waitMs,
    joinEqual,
    retryCount: parseRetryCount(call.header('x-stainless-retry-count')),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  await order.onClaimed?.();
  if (!join) {
    const { ignored = [] } = order;
    const reply = order.isAsyncRoute
      ? replyAsyncAccepted(claim.task, claim)
      : replyAccepted(claim.task, { ...claim, fileUrl: deps.fileUrl });
    return {
      ...reply,
      headers: {
        ...reply.headers,
        ...(isPreferred && { 'Preference-Applied': 'respond-async' }),
        ...(ignored.length > 0 && { 'x-gateway-ignored': ignored.join(', ') }),
      },
      onEnd: (isDelivered) => void claim.finish(isDelivered),
    };
  }
  const wait = join(claim.task);
  if (!wait) {
    await claim.finish(false);
    throw createNoPlaceError();
  }
  const { response_format, size } = fields;
  const form: AnswerForm = {
    accountId,
    closed,
    eventType: order.eventType,
    isPayer: claim.isPayer,
    response_format,
    ...(size !== undefined && { size }),
  };
  if (fields.stream) {
    return streamAnswer(deps, { claim, form, wait, closed });
  }
  const leftMs = Math.max(0, waitMs - (performance.now() - claimedAt));
  return replyAtEnd(deps, { claim, form, wait, waitMs: leftMs });
}

/** Answers at the end of the task. A failure here concerns the answer only, so that repeating the request helps. */
async function replyAtEnd(
  deps: AnswerDeps,
  {
    claim,
    form,
    wait,
    waitMs,
  }: {
    readonly claim: AnswerClaim;
    readonly form: AnswerForm;
    readonly wait: WaitForEnd;
    readonly waitMs: number;
  },
): Promise<Reply> {
  try {
    const how = await wait(waitMs);
    if (how !== 'ended') {
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: 'the wait for a task is over',
        publicMessage:
          'The images take longer than this connection may wait. Repeat the same request to get them; nothing is lost.',
        retryAfterSeconds: 1,
      });
    }
    const task = await findEndedTask(deps.findFullTask, claim.task.id, form);
    const reply = await createAnswerReply(deps, task, form);
    return {
      ...reply,
      headers: { ...reply.headers, ...(claim.replayed && { 'Idempotent-Replayed': 'true' }) },
      onEnd: (isDelivered) => void claim.finish(isDelivered),
    };
  } catch (thrown) {
    const error = toAppError(thrown);
    // The client may repeat at once, so the end is recorded first. Images and tasks that were removed are never there again.
    await claim.finish(error.code === 'NOT_FOUND');
    if (error.code !== 'INTERNAL_ERROR') {
      throw error;
    }
    throw new AppError('SERVICE_UNAVAILABLE', {
      message: error.message,
      publicMessage: 'The images could not be read. Repeat the same request to get them.',
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}

function enterWait({ waits }: Pick<AnswerDeps, 'waits'>, accountId: string, closed: AbortSignal): JoinTask {
  const join = waits.enter(accountId, closed);
  if (join) {
    return join;
  }
  throw createNoPlaceError();
}

/** Returns true for `Prefer: respond-async` (RFC 7240). */
function prefersAsync(headers: readonly string[]): boolean {
  return headers.some((header) => /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i.test(header));
}

function parseRetryCount([count = '']: readonly string[]): number {
  return /^\d{1,3}$/.test(count) ? Number(count) : 0;
}
