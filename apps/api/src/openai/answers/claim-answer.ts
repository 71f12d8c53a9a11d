import { type Accepted, EqualUnderWayError, type WaitingRequest } from '@image-gateway/shared/billing';
import { withTimeout } from '@image-gateway/shared/concurrency';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import type { TaskView } from '@image-gateway/shared/presenters';
import type { RequestFingerprint } from '@image-gateway/shared/task';
import { abandonLostRequest, endRequest } from '../requests/end-request.js';
import type { TakenTask } from '../requests/take-over-request.js';
import type { RequestRegister } from '../undelivered/create-request-register.js';
import { takeOverAnswer } from '../undelivered/take-over-answer.js';

/** Request that is about to submit a task and to wait for its images. */
export interface AnswerOrder {
  readonly accountId: string;
  readonly apiKeyId: string;
  /** Of everything that makes two requests equal. */
  readonly fingerprint: RequestFingerprint;
  /** `X-Stainless-Retry-Count`; 0 when absent. */
  readonly retryCount: number;
  /** True if equal requests of the key share the task under way. */
  readonly joinEqual: boolean;
  readonly idempotencyKey?: string;
  /**
   * Holds the price and inserts the task together with the row of the waiting request, or replays an idempotency key. Throws
   * AppError.
   */
  readonly submit: (waiting: WaitingRequest) => Promise<Accepted>;
  /** Aborted when the connection or the response has ended. */
  readonly closed: AbortSignal;
  /** Time that the request may wait, in milliseconds. */
  readonly waitMs: number;
}

/** Task of a request, and whose it is. */
interface Claimed extends Pick<Accepted, 'task' | 'replayed'> {
  /** True if the cost of the task is the request's: it made the task, or is the only one that still waits for it. */
  readonly isPayer: boolean;
}

/** Task whose images a request gets. */
export interface AnswerClaim extends Claimed {
  /**
   * Must be called when the response has ended: with true if the whole answer was handed to the connection. Later calls do nothing.
   * Resolves when an equal request can take the answer over; never throws.
   */
  readonly finish: (isDelivered: boolean) => Promise<void>;
}

/** Gets a task for a request: one whose answer an equal request did not receive, or a new one. Throws AppError. */
export type ClaimAnswer = (order: AnswerOrder) => Promise<AnswerClaim>;

/** How a claim got its task, or how its response ended. */
export type AnswerEvent = 'taken_over' | 'delivered' | 'undelivered';

/** Dependencies of claims. */
export interface AnswerClaimDeps {
  readonly db: Pick<Database, 'run'>;
  readonly register: RequestRegister;
  /** Aborted when this process stops. */
  readonly stopping: AbortSignal;
  readonly onEvent: (event: AnswerEvent) => void;
}

/** Codes of errors after which nobody knows if a statement was committed. */
const LOST: ReadonlySet<string> = new Set(['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']);
/** Equal requests can end between a look and an insert; more rounds than this indicate a fault. */
const MAX_ROUNDS = 5;
/** Longest time that a response waits until its end is recorded: a database that hangs must not hold it. */
const MAX_FINISH_MS = 1_000;

/** Creates the claims of a process. */
export function createAnswerClaims({ db, register, stopping, onEvent }: AnswerClaimDeps): ClaimAnswer {
  const { processId } = register;

  return async (order) => {
    const { apiKeyId, fingerprint, retryCount } = order;
    const { first, added } = fingerprint;
    const equals = `${apiKeyId} ${first.toString('base64')} ${added.toString('base64')}`;
    if (order.closed.aborted) {
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: 'the client has left before its request was accepted',
        retryAfterSeconds: 1,
      });
    }
    const requestId = register.open();
    const end = observeLeaving(order.closed, (recorded) => void register.awaitEnd(equals, recorded));
    // An idempotency key names a task of its own, which can be read again by that key.
    const mayShare = order.idempotencyKey === undefined;
    const isSole = mayShare && order.joinEqual;
    const takeOver = async (): Promise<Claimed | null> => {
      await register.settled(equals);
      const isWary = retryCount > 0 || register.isYoung();
      const taken = await takeOverAnswer(db, { ...order, requestId, processId, isWary, stopping });
      if (taken) {
        onEvent('taken_over');
      }
      return taken && { task: toPendingTask(taken), replayed: false, isPayer: !taken.isJoined };
    };
    const find = async (): Promise<Claimed> => {
      const taken = mayShare ? await takeOver() : null;
      if (taken) {
        return taken;
      }
      for (let round = 1; ; round += 1) {
        try {
          const waiting = { id: requestId, processId, fingerprint, retryCount, isSole };
          const { task, replayed } = await order.submit(waiting);
          return { task, replayed, isPayer: !replayed };
        } catch (error) {
          // An equal request was faster, or has taken the money that this one lacks: its task is shared.
          const shared = isSole && isRefusal(error) ? await takeOver() : null;
          if (shared) {
            return shared;
          }
          if (!(error instanceof EqualUnderWayError) || round === MAX_ROUNDS) {
            throw error;
          }
        }
      }
    };
    try {
      const claimed = await find();
      const { task } = claimed;
      let finished: Promise<void> | undefined;
      const finish = (isDelivered: boolean): Promise<void> => {
        if (!finished) {
          onEvent(isDelivered ? 'delivered' : 'undelivered');
          const write = endRequest(db, { taskId: task.id, requestId, isDelivered });
          const closed = register.close(requestId, equals, write);
          void closed.then(end);
          finished = withTimeout(MAX_FINISH_MS, closed).then(() => undefined);
        }
        return finished;
      };
      // Images may still be read for a client that has left, and it may repeat its request at once. Those who know that the whole answer
      // was written hear of the end of the connection too, and say so first.
      onAbort(order.closed, () => setImmediate(() => void finish(false)));
      return { ...claimed, finish };
    } catch (error) {
      // After a refusal there is no task. Any other statement may have been committed although its response was lost.
      const lost = { apiKeyId, fingerprint, requestId };
      const write = isRefusal(error) ? Promise.resolve() : abandonLostRequest(db, lost);
      void register.close(requestId, equals, write).then(end);
      throw error;
    }
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && !LOST.has(error.code);
}

/** Calls `onLeft` when the client leaves, with a promise that resolves when the function that it returns is called. */
function observeLeaving(closed: AbortSignal, onLeft: (recorded: Promise<void>) => void): () => void {
  let end: () => void = () => undefined;
  const recorded = new Promise<void>((resolve) => {
    end = resolve;
  });
  onAbort(closed, () => onLeft(recorded));
  return end;
}

function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) {
    listener();
  } else {
    signal.addEventListener('abort', listener, { once: true });
  }
}

/** Returns the task as it was when it was accepted. */
function toPendingTask({ isJoined: _, ...task }: TakenTask): TaskView {
  return {
    ...task,
    status: 'pending',
    costMicros: 0n,
    error: null,
    startedAt: null,
    completedAt: null,
    outputKeys: [],
  };
}
