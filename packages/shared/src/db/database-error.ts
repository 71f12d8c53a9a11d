import { types } from 'node:util';
import { AppError } from '../errors/index.js';

/** SQLSTATE of an error of the database (`23505`), or the code of a broken connection (`ECONNREFUSED`), if it has one. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!types.isNativeError(error)) return undefined;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^([0-9A-Z]{5}|E[A-Z_]+)$/.test(code)) return code;
  return error.cause === undefined ? undefined : sqlStateOf(error.cause);
}

/** Says whether an error is the violation of the unique constraint or index of that name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!types.isNativeError(error)) return false;
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown };
  if (code === '23505') return violated === constraint;
  return error.cause !== undefined && isUniqueViolation(error.cause, constraint);
}

/**
 * SQLSTATEs of an overloaded database: lock not to be had in time, statement took too long, chosen to end a deadlock, too
 * many connections, no memory.
 */
const BUSY = new Set(['55P03', '57014', '40P01', '53300', '53200']);

/**
 * Wraps what the driver threw: of a database that lives but is busy, or lost this one answer, it is `SERVICE_UNAVAILABLE`,
 * everything else `INTERNAL_ERROR`; the cause is kept.
 */
export function toDatabaseError(
  statement: string,
  error: unknown,
  { onlyLost }: { readonly onlyLost: boolean },
): AppError {
  const state = sqlStateOf(error);
  const message = `database, statement ${statement}: ${error instanceof Error ? error.message : String(error)}`;
  if (onlyLost || (state !== undefined && BUSY.has(state)))
    return new AppError('SERVICE_UNAVAILABLE', { message, cause: error, retryAfterSeconds: 1 });
  return new AppError('INTERNAL_ERROR', {
    message,
    cause: error,
    retryable: state === undefined || !state.startsWith('23'),
  });
}
