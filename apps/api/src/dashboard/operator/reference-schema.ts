import Joi from 'joi';

/** Returns the field `reference` of a form that moves money: a transfer with the same one is booked once. */
export function referenceSchema(): Joi.StringSchema {
  return Joi.string().max(200).messages({ '*': 'A reference has at most 200 characters.' });
}
