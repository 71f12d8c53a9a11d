import { AppError } from '@image-gateway/shared/errors';

/** Reads an amount of dollars with the given parser into micro-dollars; throws `VALIDATION_ERROR` with the parser's message. */
export function parseAmount(option: string, text: string, parse: (text: string) => bigint): bigint {
  try {
    return parse(text);
  } catch (cause) {
    const why = cause instanceof RangeError ? cause.message : 'it cannot be read';
    throw new AppError('VALIDATION_ERROR', { publicMessage: `--${option}: ${why}` });
  }
}
