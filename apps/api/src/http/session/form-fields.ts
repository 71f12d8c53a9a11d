import { AppError } from '@image-gateway/shared/errors';

const FIRST_DAY = Date.parse('0001-01-01');

/** Formats the UTC day of a time, such as `2026-01-31`; the year 1 has the first days that a query can name. */
export const formatDay = (time: number): string =>
  new Date(Math.max(time, FIRST_DAY)).toISOString().slice(0, 10);

/** Reads an amount of dollars into micro-dollars; throws AppError `VALIDATION_ERROR` with the message of the parser. */
export function readAmount(text: string, parse: (text: string) => bigint): bigint {
  try {
    return parse(text.trim().replace(/^([+-]?)\$/, '$1'));
  } catch (cause) {
    if (!(cause instanceof RangeError)) {
      throw cause;
    }
    throw new AppError('VALIDATION_ERROR', { publicMessage: `The amount: ${cause.message}`, cause });
  }
}
