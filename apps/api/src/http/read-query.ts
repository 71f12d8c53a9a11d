import { AppError } from '@image-gateway/shared/errors';
import { parseQuery } from '@image-gateway/shared/validation';
import type { ObjectSchema } from 'joi';
import type { Call } from './framework/call.js';

/** Validates the query of a call; throws AppError `BAD_REQUEST` that names the parameter and says what is allowed. */
export function readQuery<T>(schema: ObjectSchema<T>, call: Pick<Call, 'query'>): T {
  const parsed = parseQuery(schema, call.query);
  if ('fault' in parsed) throw new AppError('BAD_REQUEST', { publicMessage: parsed.fault });
  return parsed.query;
}
