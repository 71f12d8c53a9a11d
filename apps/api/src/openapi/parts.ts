import type { JsonSchema } from './json-schema.js';

/** A moment. */
export const time = {
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
};

/** An amount of money. */
export const dollars = {
  type: 'string',
  pattern: '^\\$\\d+\\.\\d{2,6}$',
  description: 'Dollars, such as `$0.0100`; `$0.00` for nothing.',
};

/** An amount of money that may be negative. */
export const signedDollars = { ...dollars, pattern: '^-?\\$\\d+\\.\\d{2,6}$' };

/** Any text. */
export const text = { type: 'string' };

/** A number of things. */
export const count = { type: 'integer', minimum: 0 };

/** An object whose properties are all there, but for the optional ones. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return {
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
  };
}

/** A list. */
export function listSchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** Returns a schema that also allows null. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (schema.type === undefined) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) && { enum: [...(schema.enum as unknown[]), null] }),
  };
}

/** A schema of the document, by its name. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list of what has this name. */
export function pageSchema(name: string): JsonSchema {
  return object({ items: listSchema(ref(name)), pagination: ref('Pagination') });
}
