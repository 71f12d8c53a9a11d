import { AppError } from '@image-gateway/shared/errors';

/** Reads an amount of dollars from a form into micro-dollars with the given parser; throws AppError `VALIDATION_ERROR` with the message of the parser. */
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
