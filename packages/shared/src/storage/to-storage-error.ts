import { StorageError, type StorageFault } from './storage-error.js';

/** What is known of a call that failed, beside the error itself. */
export interface FailedCall {
  /** For example `put images/gen_x/0.png`. */
  readonly what: string;
  readonly status: number | undefined;
}

/** Turns anything that a call to the S3 client threw into a StorageError; one that is there already is kept. */
export function toStorageError(thrown: unknown, { what, status }: FailedCall): StorageError {
  if (thrown instanceof StorageError) return thrown;
  const serverCode = codeOf(thrown);
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
  if (status === 401 || status === 403) return 'refused';
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

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' && thrown.code !== '' ? thrown.code : undefined;
}
