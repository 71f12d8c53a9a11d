import Joi from 'joi';
import { METADATA_KEY, METADATA_LIMITS, type Metadata } from '../contract/index.js';
import { characterRule } from './text-schema.js';

const KEY = new RegExp(`^${METADATA_KEY}$`);
const VALUE = characterRule({ max: METADATA_LIMITS.valueCharacters });

/** Rule of metadata, for a sentence after "must be". */
export const METADATA_RULE =
  `an object of at most ${METADATA_LIMITS.entries} entries, each a string of 1 to ${METADATA_LIMITS.valueCharacters} characters ` +
  `under a key of 1 to ${METADATA_LIMITS.keyCharacters} characters A-Z a-z 0-9 _ . -`;

/** Tells if a value is metadata that can be stored. */
export function isMetadata(value: unknown): value is Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return false;
  }
  const entries = Object.entries(value);
  return (
    entries.length <= METADATA_LIMITS.entries &&
    entries.every(
      ([key, text]) => KEY.test(key) && typeof text === 'string' && text !== '' && VALUE.test(text),
    )
  );
}

/** Joi schema of metadata. It is judged as a whole, since Joi would drop an entry of the name `__proto__`. */
export function metadataSchema(): Joi.AnySchema<Metadata> {
  const extension = {
    type: 'metadata',
    base: Joi.any(),
    messages: { 'metadata.base': '{{#label}} is not allowed' },
    validate: (value: unknown, helpers: Joi.CustomHelpers) =>
      isMetadata(value) ? { value } : { value, errors: [helpers.error('metadata.base')] },
    jsonSchema: (_schema: unknown, result: object) => ({
      ...result,
      type: 'object',
      maxProperties: METADATA_LIMITS.entries,
      propertyNames: { pattern: KEY.source },
      additionalProperties: { type: 'string', minLength: 1, maxLength: METADATA_LIMITS.valueCharacters },
    }),
  };
  const extended: { metadata(): Joi.AnySchema<Metadata> } = Joi.extend(extension as unknown as Joi.Extension);
  return extended.metadata();
}
