import { types } from 'node:util';
import { AppError } from '../errors/index.js';
import { UnreadableValueError } from './parse-value.js';

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
/** SQLSTATE disk_full. */
const DISK_FULL = '53100';
/** SQLSTATE of a connection that was refused; here of one whose session has wrong settings. */
const REFUSED = '08004';

/**
 * SQLSTATEs of a database that answers and can't do it now. Overloaded: lock not to be had in time, statement took too long,
 * chosen to end a deadlock, too many connections, no memory, no disk. In a failover: no writes, sessions ended, not accepting
 * connections yet. Set up wrongly: no statement has run.
 */
const TEMPORARY = new Set([
  '55P03',
  '57014',
  '40P01',
  '53300',
  '53200',
  DISK_FULL,
  READ_ONLY,
  '57P01',
  '57P02',
  '57P03',
  REFUSED,
]);

/** Returns whether the database answered that it can't do it now, though it may soon. */
export function isTemporaryError(error: unknown): boolean {
  return TEMPORARY.has(getSqlState(error) ?? '');
}

/** Returns whether the session of a statement can't write, and is to be replaced. */
export function isReadOnlyError(error: unknown): boolean {
  return getSqlState(error) === READ_ONLY;
}

/** Returns whether the database had no disk for what a statement writes. */
export function isDiskFullError(error: unknown): boolean {
  return getSqlState(error) === DISK_FULL;
}

/** Makes the error of a session that can't write, as the driver would throw it. */
export function createReadOnlyError(): Error {
  return Object.assign(new Error('the database takes no writes'), { code: READ_ONLY });
}

/** Makes the error of a connection in whose session no statement may run, as the driver would throw it. */
export function createRefusedError(cause: Error): Error {
  return Object.assign(new Error(cause.message, { cause }), { code: REFUSED });
}

/**
 * Wraps an error of the driver and keeps it as cause. It is `SERVICE_UNAVAILABLE` when the database lives but cannot do
 * it now, is set up wrongly or lost this response, else `INTERNAL_ERROR`.
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
    retryable: state === undefined ? !(error instanceof UnreadableValueError) : !/^2[23]/.test(state),
  });
}

/** Returns whether the database refused a value that no column can hold (class 22), which it would refuse again. */
export function isDataError(error: unknown): boolean {
  return getSqlState(error)?.startsWith('22') === true;
}

/** Says whether an error of the database means that it was not reached or did not answer, rather than that it refused a statement. */
export function isConnectionError(error: unknown): boolean {
  const state = getSqlState(error);
  // Class 08: connection exceptions; 57P01 to 57P05: the server ends sessions or starts.
  if (state !== undefined) {
    return /^(E|08|57P)/.test(state);
  }
  // The driver says it with plain errors. Any other kind is a fault of our own, or of a place that was not to be had.
  return getRootName(error) === 'Error';
}

/** Says whether an error means that the database is away, which concerns everybody who waits for it. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'INTERNAL_ERROR' && isConnectionError(error);
}

function getRootName(error: unknown): string | undefined {
  if (!types.isNativeError(error)) {
    return undefined;
  }
  return error.cause === undefined ? error.name : getRootName(error.cause);
}

/**
 * Returns whether an error is about the rows of one statement, such as a broken rule, a locked row or a fault of our
 * own. The others are about the database: it is unreachable, full or read-only, and the next statement would fail too.
 */
export function isRowError(error: unknown): boolean {
  const state = getSqlState(error);
  // Class 08 and 57P: connections; 53: resources; 25006: no writes. Codes with E are those of broken connections.
  if (state !== undefined) {
    return !/^(E|08|57P|53|25006)/.test(state);
  }
  // The database's errors without a code: no answer, or no connection to be had.
  return !(error instanceof AppError);
}

/** Prisma's names of lost connections, with the code that the driver had for each. */
const LOST: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'ECONNREFUSED',
  ConnectionClosed: 'ECONNRESET',
  SocketTimeout: 'ETIMEDOUT',
};

interface PrismaError {
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: DriverCause } };
}

interface DriverCause {
  readonly kind?: string;
  readonly originalCode?: string;
  readonly originalMessage?: string;
}

/**
 * Returns the driver's error inside one of Prisma's, with its SQLSTATE or the code of the broken connection. Without
 * one inside, returns the error itself.
 */
export function getDriverError(error: unknown): unknown {
  const cause = (error as PrismaError | null)?.meta?.driverAdapterError?.cause;
  const code = cause?.originalCode ?? LOST[cause?.kind ?? ''];
  if (code === undefined) {
    return error;
  }
  return Object.assign(new Error(cause?.originalMessage ?? cause?.kind, { cause: error }), { code });
}
