import { parseDay } from '@image-gateway/shared/validation';
import Joi from 'joi';

const FIRST_DAY = Date.parse('0001-01-01');

/** Formats the UTC day of a time, such as `2026-01-31`; the year 1 has the first days that a query can name. */
export const formatDay = (time: number): string =>
  new Date(Math.max(time, FIRST_DAY)).toISOString().slice(0, 10);

/** Schema of a day of the calendar, such as `2026-01-31`. */
export const daySchema: Joi.StringSchema = Joi.string()
  .custom((text: string, helpers) => (parseDay(text) ? text : helpers.error('any.invalid')))
  .messages({ '*': '{{#label}} must be a day such as 2026-01-31.' });
