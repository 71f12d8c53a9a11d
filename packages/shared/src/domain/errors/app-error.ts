import type { ErrorCode, RefusalDetails } from '../contract/index.js';

/** Details of an error beside its code. */
export interface AppErrorOptions {
  /** For the log; may name hosts, tables and causes. */
  readonly message?: string;
  /** For the caller; plain words, at most 400 characters, nothing internal. */
  readonly publicMessage?: string;
  /** True if the same action may succeed later without any change. */
  readonly retryable?: boolean;
  /** Time until the caller may retry, in whole seconds. */
  readonly retryAfterSeconds?: number;
  /** For the caller, beside the message. */
  readonly details?: RefusalDetails;
  readonly cause?: unknown;
}

const PUBLIC_MESSAGES: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The request is malformed.',
  VALIDATION_ERROR: 'The request body is invalid.',
  UNAUTHORIZED: 'The API key is invalid, inactive or expired.',
  FORBIDDEN: 'This account is suspended.',
  INSUFFICIENT_BALANCE:
    'The balance does not cover this request. Ask the operator of this gateway for credit, or ask for fewer images.',
  NOT_FOUND: 'Not found.',
  RANGE_NOT_SATISFIABLE: 'The range lies outside of the file.',
  RATE_LIMITED: 'Too many requests. Slow down and try again later.',
  INTERNAL_ERROR: 'Something went wrong on our side. Try again in a moment.',
  UPSTREAM_ERROR: 'The upstream provider failed.',
  SERVICE_UNAVAILABLE: 'The service is temporarily unavailable. Try again in a moment.',
};

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'INTERNAL_ERROR',
  'UPSTREAM_ERROR',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMITED',
]);

/** Error with a code of the error table, a message for the log and a message for the caller; further classes extend it. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly details: RefusalDetails | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const publicMessage = options.publicMessage ?? PUBLIC_MESSAGES[code];
    super(
      options.message ?? publicMessage,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AppError';
    this.code = code;
    this.publicMessage = publicMessage;
    this.retryable = options.retryable ?? RETRYABLE.has(code);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }
}

/** Converts anything thrown into an AppError; anything else than an AppError becomes `INTERNAL_ERROR` with its cause. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) {
    return thrown;
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError('INTERNAL_ERROR', { message, cause: thrown });
}
