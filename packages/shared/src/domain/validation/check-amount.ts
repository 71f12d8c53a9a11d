import { AppError } from '../errors/index.js';
import { formatDollars } from '../money/index.js';

/** Maximum of one booking by hand: more is nearly always a slip, and sums of many stay far from the largest number of a column. */
const MAX_AMOUNT_MICROS = 1_000_000_000_000n;

/** Throws AppError `VALIDATION_ERROR` for an amount of more than a million dollars in either direction. */
export function checkAmount(micros: bigint): void {
  if (micros > MAX_AMOUNT_MICROS || micros < -MAX_AMOUNT_MICROS) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage:
        `${formatDollars(micros)} is more than one booking may move: at most $1,000,000. ` +
        'Check the digits, or book it in parts.',
    });
  }
}
