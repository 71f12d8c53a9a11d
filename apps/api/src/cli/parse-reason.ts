import { MAX_REASON_LENGTH } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';

/** Parses the text of `--reason`: 1 to 400 characters, not only white space. Throws AppError `VALIDATION_ERROR`. */
export function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || [...reason].length > MAX_REASON_LENGTH) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `--reason: 1 to ${MAX_REASON_LENGTH} characters`,
    });
  }
  return reason;
}
