import Joi from 'joi';

/** The field `reason` of a form: an operator says why. */
export function reasonSchema(): Joi.StringSchema {
  return Joi.string()
    .max(400)
    .pattern(/\S/)
    .required()
    .messages({ '*': 'Give a reason of 1 to 400 characters.' });
}
