import type { RefusalDetails, Task, TaskFailed } from './types.js';

/** Facts about a failure. */
export interface ErrorDetails {
  /** Code of the error table, such as `INSUFFICIENT_BALANCE`. */
  readonly code?: string | undefined;
  /** Numbers of an `INSUFFICIENT_BALANCE`. */
  readonly details?: RefusalDetails | undefined;
  /** HTTP status of the last response. */
  readonly status?: number | undefined;
  /** `X-Request-Id` of the last response; name it when you ask the operator for help. */
  readonly requestId?: string | undefined;
  /** The task as it was last seen. */
  readonly task?: Task | undefined;
  /** Key of the submit: a repetition with it buys nothing twice for 24 hours. */
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/** Base class of all errors of this package. */
export class ImageGatewayError extends Error {
  readonly code: string | undefined;
  readonly details: RefusalDetails | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly task: Task | undefined;
  readonly idempotencyKey: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code;
    this.details = details.details;
    this.status = details.status;
    this.requestId = details.requestId;
    this.task = details.task;
    this.idempotencyKey = details.idempotencyKey;
  }
}

/** The gateway refused the request; `code` and `status` say why. Repeating it as it is does not help. */
export class ApiError extends ImageGatewayError {
  declare readonly status: number;
  /** True if the answer to an earlier attempt was lost. */
  readonly isRepeated: boolean;

  constructor(message: string, details: ErrorDetails & { readonly status: number }, isRepeated = false) {
    super(message, details);
    this.isRepeated = isRepeated;
  }
}

/**
 * The deadline was over before the gateway gave its answer. A submit may have been accepted: repeat it with the `idempotencyKey`
 * of this error, which buys nothing twice. A task that is still pending stands in `task`: `tasks.wait` goes on with it.
 */
export class DeadlineError extends ImageGatewayError {}

/** The task ended without an image; nothing was charged. */
export class TaskFailedError extends ImageGatewayError {
  declare readonly task: TaskFailed;

  constructor(task: TaskFailed, requestId: string | undefined) {
    super(task.error, { task, requestId });
  }
}

/** A webhook whose signature or time is not what the secret says: answer it with 400 and do nothing. */
export class WebhookError extends ImageGatewayError {}
