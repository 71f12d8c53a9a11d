import Joi from 'joi';
import { parseInstant } from '../contract/index.js';

/** Joi types for query parameters, which come as texts, or as lists where a parameter was repeated. */
export interface QueryTypes {
  /** Decimal digits without sign; what is larger than the largest safe integer counts as that. */
  digits(): Joi.NumberSchema;
  /** An ISO 8601 date (midnight UTC) or date and time with its offset; becomes a Date. */
  instant(): Joi.AnySchema<Date>;
}

/** Makes the Joi types of query parameters. */
export function queryTypes(): QueryTypes {
  const digits = {
    type: 'digits',
    base: Joi.number(),
    prepare: (value: unknown, helpers: Joi.CustomHelpers) =>
      typeof value === 'string' && /^\d+$/.test(value)
        ? { value: Math.min(Number(value), Number.MAX_SAFE_INTEGER) }
        : { value, errors: [helpers.error('number.base')] },
    jsonSchema: (_schema: unknown, result: object) => ({ ...result, type: 'integer' }),
  };
  const instant = {
    type: 'instant',
    base: Joi.any(),
    messages: { 'instant.base': '{{#label}} is not allowed' },
    prepare: (value: unknown, helpers: Joi.CustomHelpers) => {
      // A plus that was not percent-encoded arrives as a space.
      const date = typeof value === 'string' ? parseInstant(value.replace(/ (?=\d\d:\d\d$)/, '+')) : null;
      return date ? { value: date } : { value, errors: [helpers.error('instant.base')] };
    },
    jsonSchema: (_schema: unknown, result: object) => ({
      ...result,
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    }),
  };
  return Joi.extend(digits as unknown as Joi.Extension, instant as unknown as Joi.Extension) as QueryTypes;
}
