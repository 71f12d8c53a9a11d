import Joi from 'joi';
import type { Preferences } from '../contract/index.js';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES, type OptionalField, toOwnValue } from '../upstreams/index.js';

type PreferenceName = Exclude<keyof Preferences, 'background'>;

/** Names of the optional fields of which a request of the facade may prefer a value. */
export const PREFERENCE_NAMES = OPTIONAL_NAMES.filter(
  (name): name is PreferenceName => 'preference' in OPTIONAL_FIELDS[name],
);

/** Schema of the values of each preference that some route understands. */
export const PREFERENCE_SCHEMAS = Object.fromEntries(
  PREFERENCE_NAMES.map((name) => [name, toSchema(OPTIONAL_FIELDS[name])]),
) as Readonly<Record<PreferenceName, Joi.Schema>>;

function toSchema({ values, pattern, greatest = 0, preference = '' }: OptionalField): Joi.Schema {
  const schema = values
    ? Joi.string().valid(...values)
    : pattern
      ? Joi.string().pattern(pattern)
      : Joi.number().integer().min(0).max(greatest);
  return schema.description(preference);
}

/** Reads a preference, in a form from its text. Null: no route understands the value. */
export function readPreference<Name extends PreferenceName>(
  name: Name,
  value: unknown,
  { isForm }: { readonly isForm: boolean },
): Preferences[Name] | null {
  const meant = toOwnValue(OPTIONAL_FIELDS[name], value);
  const { error, value: read } = PREFERENCE_SCHEMAS[name].validate(meant, { convert: isForm });
  return error ? null : (read as Preferences[Name]);
}
