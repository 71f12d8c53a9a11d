import { types } from 'node:util';
import { AppError } from '../errors/index.js';

/** SQLSTATE of an error of the database (`23505`), or the code of a broken connection (`ECONNREFUSED`), if it has one. */
export function getSqlState(error: unknown): string | undefined {
  if (!types.isNativeError(error)) {
    return undefined;
  }
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^([0-9A-Z]{5}|E[A-Z_]+)$/.test(code)) {
    return code;
  }
  return error.cause === undefined ? undefined : getSqlState(error.cause);
}

/** Says whether an error is the violation of the unique constraint or index of that name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!types.isNativeError(error)) {
    return false;
  }
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown };
  if (code === '23505') {
    return violated === constraint;
  }
  return error.cause !== undefined && isUniqueViolation(error.cause, constraint);
}

/** SQLSTATE read_only_sql_transaction: of a standby too, and of a primary that has become one. */
const READ_ONLY = '25006';

/**
 * SQLSTATEs of a database that answers and can't do it now. Overloaded: lock not to be had in time, statement took too long,
 * chosen to end a deadlock, too many connections, no memory. In a failover: no writes, sessions ended, not accepting
 * connections yet.
 */
const TEMPORARY = new Set([
  ...['55P03', '57014', '40P01', '53300', '53200'],
  ...[READ_ONLY, '57P01', '57P02', '57P03'],
]);

/** Returns whether the database answered that it can't do it now, though it may soon. */
export function isTemporaryError(error: unknown): boolean {
  return TEMPORARY.has(getSqlState(error) ?? '');
}

/** Returns whether the session of a statement can't write, and is to be replaced. */
export function isReadOnlyError(error: unknown): boolean {
  return getSqlState(error) === READ_ONLY;
}

/** Makes the error of a session that can't write, as the driver would throw it. */
export function createReadOnlyError(): Error {
  return Object.assign(new Error('the database takes no writes'), { code: READ_ONLY });
}

/**
 * Wraps an error of the driver and keeps it as cause. It is `SERVICE_UNAVAILABLE` when the database lives but cannot do
 * it now or lost this response, else `INTERNAL_ERROR`.
 */
export function toDatabaseError(
  statement: string,
  error: unknown,
  { isOnlyConnection }: { readonly isOnlyConnection: boolean },
): AppError {
  const state = getSqlState(error);
  const message = `database, statement ${statement}: ${error instanceof Error ? error.message : String(error)}`;
  if (isOnlyConnection || isTemporaryError(error)) {
    return new AppError('SERVICE_UNAVAILABLE', { message, cause: error, retryAfterSeconds: 1 });
  }
  return new AppError('INTERNAL_ERROR', {
    message,
    cause: error,
    retryable: state === undefined || !state.startsWith('23'),
  });
}
