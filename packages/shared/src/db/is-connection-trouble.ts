import { sqlStateOf } from './database-error.js';

/** Says whether an error of the database means that it was not reached or did not answer, rather than that it refused a statement. */
export function isConnectionTrouble(error: unknown): boolean {
  const state = sqlStateOf(error);
  // Class 08: connection exceptions; 57P01 to 57P05: the server ends sessions or starts.
  return state === undefined || /^(E|08|57P)/.test(state);
}
