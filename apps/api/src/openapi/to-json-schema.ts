import type { Schema } from 'joi';
import type { JsonSchema } from './json-schema.js';
import { nullable } from './parts.js';

interface ObjectJsonSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** Converts the Joi schema of an object into JSON Schema that allows further fields, which the API ignores. */
export function toJsonSchema(schema: Schema): ObjectJsonSchema {
  const { additionalProperties: _closed, ...open } = schema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  });
  return open as unknown as ObjectJsonSchema;
}

/** Lets every field that is not required be null, which the API takes for absent. */
export function withNullableOptions(schema: ObjectJsonSchema): ObjectJsonSchema {
  const properties = Object.entries(schema.properties).map(([name, field]) => [
    name,
    schema.required?.includes(name) ? field : nullable(field),
  ]);
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}
