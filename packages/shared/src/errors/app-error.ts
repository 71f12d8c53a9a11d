import type { ErrorCode } from '../contract/index.js';

/** What an error may carry beside its code. */
export interface AppErrorOptions {
  /** For the log; may name hosts, tables and causes. */
  readonly message?: string;
  /** For the caller; plain words, at most 400 characters, nothing internal. */
  readonly publicMessage?: string;
  /** Whether the same action may succeed later without any change. */
  readonly retryable?: boolean;
  /** When the caller may come back, in whole seconds. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

const PUBLIC_MESSAGES: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The request is malformed.',
  VALIDATION_ERROR: 'The request body is invalid.',
  UNAUTHORIZED: 'The API key is invalid, inactive or expired.',
  FORBIDDEN: 'This account is suspended.',
  INSUFFICIENT_BALANCE:
    'The balance does not cover this request. Top up the account or ask for fewer images.',
  NOT_FOUND: 'Not found.',
  RATE_LIMITED: 'Too many requests. Slow down and try again later.',
  INTERNAL_ERROR: 'Something went wrong on our side. Try again; use an Idempotency-Key to do so safely.',
  UPSTREAM_ERROR: 'The upstream provider failed.',
  SERVICE_UNAVAILABLE: 'The service is temporarily unavailable. Try again in a moment.',
};

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'INTERNAL_ERROR',
  'UPSTREAM_ERROR',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMITED',
]);

/** The one error class of the product: a code of the error table, a message for us and a message for the caller. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

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
  }
}
