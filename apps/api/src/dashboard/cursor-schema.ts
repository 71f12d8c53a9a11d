import Joi from 'joi';
import { parseCursor } from '../operations/list-cursor.js';

/** Schema of the parameter `before`: the place in a list that an earlier part named as the next. */
export const cursorSchema: Joi.StringSchema = Joi.string()
  .custom((text: string, helpers) => parseCursor(text) ?? helpers.error('any.invalid'))
  .messages({ '*': '{{#label}} must be the next of an earlier part.' });
