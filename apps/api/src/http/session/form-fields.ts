import { LIMITS, MAX_REASON_LENGTH } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { boundedText, parseDay } from '@image-gateway/shared/validation';
import Joi from 'joi';
import { parseCursor } from '../list-cursor.js';

/** Pages beyond this are refused; filters narrow a list down. */
const MAX_PAGE = 100_000;
const MAX_REFERENCE_LENGTH = 200;
const FIRST_DAY = Date.parse('0001-01-01');

/** Fields `page` and `per_page` of a query. */
export const pageFields = {
  page: Joi.number()
    .integer()
    .min(1)
    .max(MAX_PAGE)
    .default(1)
    .messages({ '*': 'page must be an integer of at least 1.' }),
  per_page: Joi.number()
    .integer()
    .min(1)
    .max(LIMITS.perPageMax)
    .default(LIMITS.perPageDefault)
    .messages({ '*': `per_page must be an integer from 1 to ${LIMITS.perPageMax}.` }),
};

/** Field `before` of a query: the place in a list that an earlier part named as the next. */
export const cursorField: Joi.StringSchema = Joi.string()
  .custom((text: string, helpers) => parseCursor(text) ?? helpers.error('any.invalid'))
  .messages({ '*': '{{#label}} must be the next of an earlier part.' });

/** Day of the calendar, such as `2026-01-31`. */
export const dayField: Joi.StringSchema = Joi.string()
  .custom((text: string, helpers) => (parseDay(text) ? text : helpers.error('any.invalid')))
  .messages({ '*': '{{#label}} must be a day such as 2026-01-31.' });

/** Formats the UTC day of a time, such as `2026-01-31`; the year 1 has the first days that a query can name. */
export const formatDay = (time: number): string =>
  new Date(Math.max(time, FIRST_DAY)).toISOString().slice(0, 10);

/** Field `reason` of a form: an operator says why. */
export const reasonField: Joi.StringSchema = boundedText(MAX_REASON_LENGTH, { visible: true })
  .required()
  .messages({
    '*': `Give a reason of 1 to ${MAX_REASON_LENGTH} characters, without NUL characters and unpaired surrogates.`,
  });

/** Field `reference` of a form that moves money: a transfer with the same one is booked once. */
export const referenceField: Joi.StringSchema = boundedText(MAX_REFERENCE_LENGTH).messages({
  '*': `A reference has at most ${MAX_REFERENCE_LENGTH} characters, without NUL characters and unpaired surrogates.`,
});

/** Body of a form with an e-mail address and a password; checks only that both are present. */
export const credentialsBody: Joi.ObjectSchema<{ email: string; password: string }> = Joi.object({
  email: Joi.string().max(254).required().messages({ '*': 'Enter an e-mail address.' }),
  password: Joi.string().max(1000).required().messages({ '*': 'Enter a password.' }),
}).required();

/** Reads an amount of dollars into micro-dollars; throws AppError `VALIDATION_ERROR` with the message of the parser. */
export function readAmount(text: string, parse: (text: string) => bigint): bigint {
  try {
    return parse(text.trim().replace(/^([+-]?)\$/, '$1'));
  } catch (cause) {
    if (!(cause instanceof RangeError)) {
      throw cause;
    }
    throw new AppError('VALIDATION_ERROR', { publicMessage: `The amount: ${cause.message}`, cause });
  }
}
