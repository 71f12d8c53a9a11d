import { type AcceptDeps, acceptGeneration } from '@image-gateway/shared/billing';
import { type Envelope, type GenerateRequest, ok, type PublicTask } from '@image-gateway/shared/contract';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import { presentTask } from '@image-gateway/shared/presenters';
import { parseGenerateRequest } from '@image-gateway/shared/validation';
import type { ObjectSchema } from 'joi';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { idempotencyKey } from '../http/idempotency-key.js';

/** What submitting needs. */
export interface GenerateDeps {
  readonly accept: AcceptDeps;
  readonly schema: ObjectSchema<GenerateRequest>;
  readonly fileUrl: string;
  /** Tells the workers that a task waits; neither delays nor fails the answer. */
  readonly hint: (taskId: string, traceId: string, openCount: number) => void;
  readonly onAccepted: (model: string) => void;
}

/** `POST /v1/generate`: validates, holds the price, inserts the task, answers 202. */
export function generate(deps: GenerateDeps): Handler<KeyCall, Envelope<PublicTask>> {
  return async (call) => {
    const key = idempotencyKey(call.header('idempotency-key'));
    const parsed = parseGenerateRequest(deps.schema, call.body);
    if ('fault' in parsed) throw new AppError('VALIDATION_ERROR', { publicMessage: parsed.fault });
    const {
      task,
      replayed,
      openCount = 1,
    } = await acceptGeneration(deps.accept, {
      ...call.caller,
      requestId: call.id,
      request: parsed.request,
      ...(key !== undefined && { idempotencyKey: key }),
    }).catch(adviseKey);
    if (!replayed) {
      deps.hint(task.id, call.id, openCount);
      deps.onAccepted(task.model);
    }
    return {
      status: 202,
      headers: {
        Location: `/v1/tasks/${task.id}`,
        'Retry-After': '2',
        'Cache-Control': 'no-store',
        ...(replayed && { 'Idempotent-Replayed': 'true' }),
      },
      json: ok(presentTask(task, deps.fileUrl)),
    };
  };
}

/** A submission that broke may have been accepted all the same: only a key makes its repetition safe. */
function adviseKey(thrown: unknown): never {
  const error = toAppError(thrown);
  if (error.code !== 'INTERNAL_ERROR') throw error;
  throw new AppError('INTERNAL_ERROR', {
    message: error.message,
    publicMessage: 'Something went wrong on our side. Try again; use an Idempotency-Key to do so safely.',
    cause: error,
  });
}
