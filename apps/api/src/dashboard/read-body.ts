import { AppError } from '@image-gateway/shared/errors';
import { findUnstorable } from '@image-gateway/shared/validation';
import type { ObjectSchema } from 'joi';

/** Validates a JSON body without conversion and drops unknown fields; no text of it is one that PostgreSQL cannot store. Throws AppError `VALIDATION_ERROR` with a message for users. */
export function readBody<T>(schema: ObjectSchema<T>, body: unknown): T {
  const { error, value } = schema.validate(body, {
    convert: false,
    stripUnknown: true,
    errors: { wrap: { label: false } },
  });
  if (error || value === undefined) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: error?.message ?? 'A JSON object is expected.' });
  }
  const place = findUnstorable(value);
  if (place !== null) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `${place} must not contain NUL characters or unpaired surrogates.`,
    });
  }
  return value as T;
}
