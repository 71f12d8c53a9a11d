import { AppError } from './app-error.js';

/** Turns anything thrown into an AppError; what is not one already is our own fault (`INTERNAL_ERROR`), with the cause kept. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError('INTERNAL_ERROR', { message, cause: thrown });
}
