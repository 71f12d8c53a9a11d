import { MAX_REASON_LENGTH } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { needed, option } from './define-command.js';

/** Error `VALIDATION_ERROR` about what the command line says. */
export const refused = (publicMessage: string): AppError =>
  new AppError('VALIDATION_ERROR', { publicMessage });

/** Reads a whole number of a range. Throws AppError `VALIDATION_ERROR` with this message for any other text. */
export const readWhole =
  (message: string, [minimum, maximum]: readonly [number, number]) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^(0|[1-9]\d*)$/.test(text) || number < minimum || number > maximum) {
      throw refused(message);
    }
    return number;
  };

/** Reads dollars by `parse`, which returns micro-dollars. Throws AppError `VALIDATION_ERROR` with the message of `parse`. */
export const readAmount =
  (name: string, parse: (text: string) => bigint) =>
  (text: string): bigint => {
    try {
      return parse(text);
    } catch (cause) {
      throw refused(`${name}: ${cause instanceof RangeError ? cause.message : 'not an amount'}`);
    }
  };

/** Option `--reason` that may be left out. */
export const maybeReason = (about: string) => option('<text>', about, readReason);
/** Option `--reason` that a call must have. */
export const neededReason = (about: string) => needed('<text>', about, readReason);

function readReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || [...reason].length > MAX_REASON_LENGTH) {
    throw refused(`--reason: 1 to ${MAX_REASON_LENGTH} characters`);
  }
  return reason;
}
