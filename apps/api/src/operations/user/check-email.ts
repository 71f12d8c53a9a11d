import { AppError } from '@image-gateway/shared/errors';
import Joi from 'joi';

const schema = Joi.string().trim().lowercase().email({ tlds: false }).max(254).required();

/** Returns an e-mail address in lower case without surrounding white space; throws AppError `VALIDATION_ERROR` for a bad one. */
export function checkEmail(text: string): string {
  const { value, error } = schema.validate(text) as { value: string; error?: Error };
  if (error) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: `"${text}" is not a valid e-mail address.` });
  }
  return value;
}
