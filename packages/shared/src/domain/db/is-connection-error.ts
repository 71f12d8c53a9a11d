import { types } from 'node:util';
import { getSqlState } from './database-error.js';

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

function getRootName(error: unknown): string | undefined {
  if (!types.isNativeError(error)) {
    return undefined;
  }
  return error.cause === undefined ? error.name : getRootName(error.cause);
}
