import type Joi from 'joi';
import { ProviderError } from '../failures.js';

/** Reads the body of a response by its schema. Throws `bad-response` with the path of what is not as documented; further fields are no fault. */
export function readShape<T>(schema: Joi.ObjectSchema<T>, value: unknown, upstream: string): T {
  const result = schema.required().validate(value, { allowUnknown: true, convert: false });
  if (result.error) {
    throw new ProviderError('bad-response', `${upstream} answered an unknown shape: ${result.error.message}`);
  }
  return result.value;
}
