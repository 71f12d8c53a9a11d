import { errorCode } from './error-code.js';
import { StorageError, type StorageFault } from './storage-error.js';

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

/** What is known of a call that failed, beside the error itself. */
export interface FailedCall {
  /** For example `put images/gen_x/0.png`. */
  readonly what: string;
  readonly status: number | undefined;
  /** Whether a request left at all; without one the server is not to blame. */
  readonly sent: boolean;
}

/** Turns anything that a call to the S3 client threw into a StorageError; one that is there already is kept. */
export function toStorageError(thrown: unknown, { what, status, sent }: FailedCall): StorageError {
  if (thrown instanceof StorageError) return thrown;
  if (!sent) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new StorageError({ fault: 'request', message: `${what}: ${reason}`, cause: thrown });
  }
  const serverCode = errorCode(thrown);
  const fault = faultOf(status, serverCode);
  return new StorageError({
    fault,
    message: `${what}: ${describe(fault, status, serverCode)}`,
    status,
    serverCode,
    cause: thrown,
  });
}

function faultOf(status: number | undefined, code: string | undefined): StorageFault {
  if (status === undefined || code === 'ECONNRESET') return 'unreachable';
  if (code === 'NoSuchBucket') return 'no-bucket';
  if (status === 401 || status === 403 || REFUSALS.has(code ?? '')) return 'refused';
  if (status === 416) return 'range';
  return 'answer';
}

function describe(fault: StorageFault, status: number | undefined, code: string | undefined): string {
  const named = code === undefined ? '' : ` (${code})`;
  if (fault === 'unreachable')
    return status === undefined ? `no connection${named}` : `the answer was cut${named}`;
  if (fault === 'no-bucket') return 'the bucket does not exist';
  return `answered ${status}${named}`;
}
