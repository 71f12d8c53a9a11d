import { ASPECT_RATIOS, RESOLUTIONS } from '@image-gateway/shared/contract';
import { allowNull, type JsonSchema } from '@image-gateway/shared/schema';
import { REQUIREMENT_NAMES, TASK_FIELDS, type TaskField } from '@image-gateway/shared/task';
import type { OptionalField } from '@image-gateway/shared/upstreams';
import type { Schema } from 'joi';

interface ObjectJsonSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** Every value that a model can offer. Those that some model offers today would be too few for a generated client of tomorrow. */
const CHOICES: Readonly<Record<string, JsonSchema>> = {
  aspect_ratio: { enum: ASPECT_RATIOS },
  resolution: { enum: RESOLUTIONS },
  ...Object.fromEntries(
    REQUIREMENT_NAMES.map((name) => {
      const { requires, normalize }: TaskField & { readonly requires: OptionalField } = TASK_FIELDS[name];
      const { values, greatest } = requires;
      // The value that is normalized is `auto`.
      const choices = [...(normalize ? ['auto'] : []), ...(values ?? [])];
      return [name, values ? { enum: choices } : { minimum: 0, maximum: greatest }];
    }),
  ),
};

/**
 * Converts the Joi schema of an object into JSON Schema that allows further fields, which the API ignores. Defaults become text:
 * generators would take such a field for required.
 */
export function toJsonSchema(schema: Schema): ObjectJsonSchema {
  const { additionalProperties: _closed, ...open } = schema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  }) as ObjectJsonSchema;
  const properties = Object.entries(open.properties).map(([name, field]) => [name, withoutDefault(field)]);
  return { ...open, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

/** Describes the body of a generate request: its fields may be null unless they are required, and no list is that of today's models. */
export function describeRequest(schema: ObjectJsonSchema): ObjectJsonSchema {
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    const described = Object.hasOwn(CHOICES, name) ? openChoice(name, field) : openModel(name, field);
    return [name, schema.required?.includes(name) ? described : allowNull(described)];
  });
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

/** Names models that are on offer as examples: later ones have other names. */
export function openModel(name: string, { enum: offered, ...field }: JsonSchema): JsonSchema {
  if (name !== 'model' || !Array.isArray(offered)) {
    return offered === undefined ? field : { ...field, enum: offered };
  }
  return { ...field, examples: offered as unknown };
}

function openChoice(name: string, { enum: _offered, pattern: _none, ...field }: JsonSchema): JsonSchema {
  const says = 'What a model takes: `GET /v1/models`.';
  const { description } = field;
  return {
    ...field,
    ...CHOICES[name],
    description: typeof description === 'string' ? `${description} ${says}` : says,
  };
}

function withoutDefault({ default: value, description, ...field }: JsonSchema): JsonSchema {
  const texts = [description, value === undefined ? undefined : `Default: \`${String(value)}\`.`];
  const text = texts.filter((one) => one !== undefined).join(' ');
  return { ...field, ...(text !== '' && { description: text }) };
}
