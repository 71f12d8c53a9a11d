import { AppError } from '@image-gateway/shared/errors';

/**
 * Creates the parser of an option or argument that takes dollars, which returns micro-dollars. It throws AppError `VALIDATION_ERROR`
 * with the message of `parse`.
 */
export function createAmountParser(name: string, parse: (text: string) => bigint): (text: string) => bigint {
  return (text) => {
    try {
      return parse(text);
    } catch (cause) {
      const reason = cause instanceof RangeError ? cause.message : 'not an amount';
      throw new AppError('VALIDATION_ERROR', { publicMessage: `${name}: ${reason}` });
    }
  };
}
