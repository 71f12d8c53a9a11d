import { AppError } from '@image-gateway/shared/errors';
import Joi from 'joi';

const schema = Joi.string().trim().lowercase().email({ tlds: false }).max(254).required();

/** Checks an e-mail address and gives it in lower case, without surrounding white space; throws `VALIDATION_ERROR` otherwise. */
export function checkEmail(text: string): string {
  const { value, error } = schema.validate(text) as { value: string; error?: Error };
  if (error)
    throw new AppError('VALIDATION_ERROR', { publicMessage: `"${text}" is not a valid e-mail address.` });
  return value;
}
