import Joi from 'joi';

/** Formats the UTC day of a time, such as `2026-01-31`. */
export const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Schema of a day of the calendar, such as `2026-01-31`. */
export const daySchema: Joi.StringSchema = Joi.string()
  .pattern(/^\d{4}-\d{2}-\d{2}$/)
  .custom((text: string) => {
    if (Number.isNaN(Date.parse(text)) || formatDay(Date.parse(text)) !== text) {
      throw new Error('no such day');
    }
    return text;
  })
  .messages({ '*': '{{#label}} must be a day such as 2026-01-31.' });
