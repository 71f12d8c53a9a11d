import { boundedText } from '@image-gateway/shared/validation';
import type Joi from 'joi';

const MAX_LENGTH = 200;

/** Returns the field `reference` of a form that moves money: a transfer with the same one is booked once. */
export function referenceSchema(): Joi.StringSchema {
  return boundedText(MAX_LENGTH).messages({
    '*': `A reference has at most ${MAX_LENGTH} characters, without NUL characters and unpaired surrogates.`,
  });
}
