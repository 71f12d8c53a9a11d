import { LIMITS } from '@image-gateway/shared/contract';
import { AppError, type AppErrorOptions } from '@image-gateway/shared/errors';

type FieldErrorCode = 'BAD_REQUEST' | 'VALIDATION_ERROR' | 'NOT_FOUND';

/** Error of a request that names the field, as OpenAI's error object does. */
export class FieldError extends AppError {
  /** Name of the field; null when no single one is at fault. */
  readonly param: string | null;
  /** `code` of OpenAI's error object. */
  readonly reason: string | null;

  constructor(
    code: FieldErrorCode,
    {
      param = null,
      reason = null,
      ...options
    }: AppErrorOptions & { readonly param?: string | null; readonly reason?: string | null },
  ) {
    super(code, options);
    this.name = 'FieldError';
    this.param = param;
    this.reason = reason;
  }
}

/** Returns the error of an invalid field. */
export function invalidField(param: string, publicMessage: string): FieldError {
  return new FieldError('VALIDATION_ERROR', { param, reason: 'invalid_value', publicMessage });
}

/** Returns the error of more images than any model takes. */
export function tooManyImages(field: string): FieldError {
  return invalidField(field, `${field} must hold at most ${LIMITS.inputImages} images.`);
}

/** Throws FieldError for an image that is empty or too large. */
export function checkImageSize(
  field: string,
  { place, bytes }: { readonly place: string; readonly bytes: number },
): void {
  if (bytes === 0) {
    throw invalidField(field, `${place} is empty.`);
  }
  if (bytes > LIMITS.inputImageBytes) {
    throw invalidField(field, `${place} is too large (at most 10 MiB).`);
  }
}
