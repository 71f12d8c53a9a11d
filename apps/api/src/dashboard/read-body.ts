import { AppError } from '@image-gateway/shared/errors';
import type { ObjectSchema } from 'joi';

/** Validates a JSON body without conversion and drops unknown fields; throws AppError `VALIDATION_ERROR` with a message for users. */
export function readBody<T>(schema: ObjectSchema<T>, body: unknown): T {
  const { error, value } = schema.validate(body, {
    convert: false,
    stripUnknown: true,
    errors: { wrap: { label: false } },
  });
  if (error || value === undefined) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: error?.message ?? 'A JSON object is expected.' });
  }
  return value as T;
}
