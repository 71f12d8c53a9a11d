import { AppError } from '../../domain/errors/index.js';

/**
 * Class of a storage failure:
 * - `timeout`: no response in time
 * - `unreachable`: no connection, or it was cut
 * - `refused`: credentials or rights
 * - `no-bucket`: the bucket does not exist
 * - `answer`: an error or an invalid response came back
 * - `too-large` and `range`: the request does not fit the object
 * - `request`: no request can be made of it (a name that no bucket can have)
 */
export type StorageFault =
  | 'timeout'
  | 'unreachable'
  | 'refused'
  | 'no-bucket'
  | 'answer'
  | 'too-large'
  | 'range'
  | 'request';

/** Details that a storage error carries for the log and for remediation. */
export interface StorageErrorDetails {
  readonly fault: StorageFault;
  readonly message: string;
  /** The HTTP status, when there was an answer. */
  readonly status?: number | undefined;
  /** The error code of the S3 protocol or of the socket, when there was one. */
  readonly serverCode?: string | undefined;
  readonly cause?: unknown;
}

/** Failure of a request to the object store; retryable unless the request itself cannot be met. */
export class StorageError extends AppError {
  readonly fault: StorageFault;
  readonly status: number | undefined;
  readonly serverCode: string | undefined;

  constructor(facts: StorageErrorDetails) {
    const retryable = !['too-large', 'range', 'request'].includes(facts.fault);
    super('INTERNAL_ERROR', { message: `object store: ${facts.message}`, retryable, cause: facts.cause });
    this.name = 'StorageError';
    this.fault = facts.fault;
    this.status = facts.status;
    this.serverCode = facts.serverCode;
  }
}

/** Refusals by name: some servers give them an unusual status (versitygw: 404 for an unknown access key). */
const REFUSALS = new Set([
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'RequestTimeTooSkewed',
  'ExpiredToken',
  'InvalidToken',
  'XAdminUserNotFound',
]);

/** Details of a failed call beside the error itself. */
export interface FailedCall {
  /** For example `put images/gen_x/0.png`. */
  readonly what: string;
  readonly status: number | undefined;
  /** True if a request was sent; without one the server is not the cause. */
  readonly sent: boolean;
}

/** Turns anything that a call to the S3 client threw into a StorageError; one that is there already is kept. */
export function toStorageError(thrown: unknown, { what, status, sent }: FailedCall): StorageError {
  if (thrown instanceof StorageError) {
    return thrown;
  }
  if (!sent) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new StorageError({ fault: 'request', message: `${what}: ${reason}`, cause: thrown });
  }
  const serverCode = errorCode(thrown);
  const fault = classifyFault(status, serverCode);
  return new StorageError({
    fault,
    message: `${what}: ${describe(fault, status, serverCode)}`,
    status,
    serverCode,
    cause: thrown,
  });
}

function classifyFault(status: number | undefined, code: string | undefined): StorageFault {
  if (status === undefined || code === 'ECONNRESET') {
    return 'unreachable';
  }
  if (code === 'NoSuchBucket') {
    return 'no-bucket';
  }
  if (status === 401 || status === 403 || REFUSALS.has(code ?? '')) {
    return 'refused';
  }
  if (status === 416) {
    return 'range';
  }
  return 'answer';
}

function describe(fault: StorageFault, status: number | undefined, code: string | undefined): string {
  const named = code === undefined ? '' : ` (${code})`;
  if (fault === 'unreachable') {
    return status === undefined ? `no connection${named}` : `the answer was cut${named}`;
  }
  if (fault === 'no-bucket') {
    return 'the bucket does not exist';
  }
  return `answered ${status}${named}`;
}

/** Returns the `code` of anything thrown, from a socket error or the S3 protocol; undefined if it has none. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) {
    return undefined;
  }
  return typeof thrown.code === 'string' && thrown.code !== '' ? thrown.code : undefined;
}
