import { AppError } from '../errors/index.js';
import { getSqlState } from './database-error.js';

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
