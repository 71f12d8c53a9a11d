import {
  type AcceptDeps,
  type Accepted,
  acceptGeneration,
  replayGeneration,
} from '@image-gateway/shared/billing';
import { type Envelope, ok, type PublicTask } from '@image-gateway/shared/contract';
import type { FindShownTask } from '@image-gateway/shared/db';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import { presentTask, type TaskView } from '@image-gateway/shared/presenters';
import { findIgnored, type ParsedRequest } from '@image-gateway/shared/task';
import type { Handler, KeyCall, Reply } from '../http/framework/call.js';
import { mayUseModel, requireModel } from '../http/keys/key-rights.js';
import type { TaskWaits } from '../waiting/create-task-waits.js';
import { parsePreferredWait } from '../waiting/parse-preferred-wait.js';
import type { Offers } from './create-offers.js';

/** Dependencies of submitting. */
export interface GenerateDeps {
  readonly accept: AcceptDeps;
  readonly offers: Offers;
  /** Parses a body whose model may no longer be offered. */
  readonly parseReplay: (body: unknown) => ParsedRequest;
  readonly fileUrl: string;
  /** Sends a hint about the task to the workers; neither delays nor fails the response. */
  readonly hint: (taskId: string, traceId: string, openCount: number) => void;
  readonly onAccepted: (model: string) => void;
  readonly waits: TaskWaits;
  readonly findTask: FindShownTask;
}

/** `POST /v1/generate`: validates, holds the price, inserts the task, responds 202; with `Prefer: wait` at its end. */
export function generate(deps: GenerateDeps): Handler<KeyCall, Envelope<PublicTask>> {
  return async (call) => {
    const key = readIdempotencyKey(call.header('idempotency-key'));
    const { parser } = await deps.offers.load();
    const parsed = parser.parse(call.body, call.caller.models);
    const { task, replayed, openCount = 1 } = await accept(deps, call, parsed, key);
    if (!replayed) {
      deps.hint(task.id, call.id, openCount);
      deps.onAccepted(task.model);
    }
    const reply = replyAccepted(await waitForEnd(deps, call, task), { replayed, fileUrl: deps.fileUrl });
    const ignored = findIgnored(call.body);
    return ignored.length === 0
      ? reply
      : { ...reply, headers: { ...reply.headers, 'x-gateway-ignored': ignored.join(', ') } };
  };
}

/** Creates the `202` of an accepted task. */
export function replyAccepted(
  task: TaskView,
  { replayed, fileUrl }: { readonly replayed: boolean; readonly fileUrl: string },
): Reply<Envelope<PublicTask>> {
  return {
    status: 202,
    headers: {
      Location: `/v1/tasks/${task.id}`,
      'Retry-After': '2',
      'Cache-Control': 'no-store',
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    },
    json: ok(presentTask(task, fileUrl)),
  };
}

/** Returns the task as it is at its end, or after the time that the client prefers to wait. An accepted task is a `202` in any case. */
async function waitForEnd(deps: GenerateDeps, call: KeyCall, task: TaskView): Promise<TaskView> {
  const seconds = parsePreferredWait(call.header('prefer'));
  if (seconds === null) {
    return task;
  }
  const { accountId } = call.caller;
  if (task.status === 'pending') {
    const wait = deps.waits.enter(accountId, call.holdOpen())?.(task);
    await wait?.(seconds * 1_000);
  }
  return (await deps.findTask(task.id, accountId).catch(() => null)) ?? task;
}

/** Accepts a valid request. A refused one may repeat a task that was accepted while the catalog still offered it. */
async function accept(
  deps: GenerateDeps,
  call: KeyCall,
  parsed: ParsedRequest,
  idempotencyKey: string | undefined,
): Promise<Accepted> {
  const caller = {
    ...call.caller,
    requestId: call.id,
    traceparent: call.traceparent,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  if (!('fault' in parsed)) {
    const { model } = parsed.request;
    if (!mayUseModel(call.caller, model)) {
      const earlier =
        idempotencyKey === undefined ? null : await replayGeneration(deps.accept, { ...caller, ...parsed });
      if (earlier) {
        return earlier;
      }
      requireModel(call.caller, model);
    }
    const accepted = await acceptGeneration(deps.accept, { ...caller, ...parsed }).catch(adviseKey);
    return accepted;
  }
  const replay = idempotencyKey === undefined ? parsed : deps.parseReplay(call.body);
  const earlier = 'fault' in replay ? null : await replayGeneration(deps.accept, { ...caller, ...replay });
  if (earlier) {
    return earlier;
  }
  throw new AppError('VALIDATION_ERROR', { publicMessage: parsed.fault });
}

/** Adds advice about the Idempotency-Key: a submission that failed may have been accepted, and only a key makes a retry safe. */
function adviseKey(thrown: unknown): never {
  const error = toAppError(thrown);
  if (error.code !== 'INTERNAL_ERROR') {
    throw error;
  }
  throw new AppError('INTERNAL_ERROR', {
    message: error.message,
    publicMessage: 'Something went wrong on our side. Try again; use an Idempotency-Key to do so safely.',
    cause: error,
  });
}

/** Reads the `Idempotency-Key` headers of a request: at most one, of 1 to 255 visible ASCII characters; else throws AppError `BAD_REQUEST`. */
export function readIdempotencyKey(headers: readonly string[]): string | undefined {
  const [key, ...more] = headers;
  if (key === undefined) {
    return undefined;
  }
  if (more.length > 0 || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: 'Idempotency-Key must be one header of 1 to 255 visible ASCII characters.',
    });
  }
  return key;
}
