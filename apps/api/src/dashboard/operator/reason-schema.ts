import { MAX_REASON_LENGTH } from '@image-gateway/shared/contract';
import { boundedText } from '@image-gateway/shared/validation';
import type Joi from 'joi';

/** The field `reason` of a form: an operator says why. */
export function reasonSchema(): Joi.StringSchema {
  return boundedText(MAX_REASON_LENGTH, { visible: true })
    .required()
    .messages({
      '*': `Give a reason of 1 to ${MAX_REASON_LENGTH} characters, without NUL characters and unpaired surrogates.`,
    });
}
