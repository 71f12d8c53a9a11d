import { AppError } from '@image-gateway/shared/errors';

const LONGEST = 400;

/** Checks the text of `--reason`: 1 to 400 characters, not only white space; throws `VALIDATION_ERROR` otherwise. */
export function checkReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || [...reason].length > LONGEST)
    throw new AppError('VALIDATION_ERROR', { publicMessage: `--reason has 1 to ${LONGEST} characters.` });
  return reason;
}
