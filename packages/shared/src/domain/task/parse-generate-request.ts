import Joi from 'joi';
import type { GenerateRequest, GivenRequest } from '../contract/index.js';
import {
  BODY_NAMES,
  type GenerateSchemaOptions,
  TASK_FIELDS,
  type TaskField,
  type TaskFieldName,
} from './fields.js';

/** Builds the schema of the body of `POST /v1/generate`: no coercion, one sentence per field about what is allowed. */
export function generateSchema(options: GenerateSchemaOptions): Joi.ObjectSchema<GenerateRequest> {
  return buildSchema(BODY_NAMES.map((name) => [name, TASK_FIELDS[name].schema(options)]));
}

function buildSchema(
  fields: readonly (readonly [TaskFieldName, Joi.Schema])[],
): Joi.ObjectSchema<GenerateRequest> {
  // Set once here: each validation would otherwise merge the preferences again.
  return Joi.object<GenerateRequest>(Object.fromEntries(fields)).prefs({
    convert: false,
    errors: { wrap: { label: false } },
  });
}

/** Schemas for the sets of fields that requests have had, by the schema of all fields. */
const narrowed = new WeakMap<Joi.ObjectSchema, Map<string, Joi.ObjectSchema<GenerateRequest>>>();
const MAX_NARROWED = 64;

/**
 * Returns the schema of these fields, and of those that are required or have a default. Joi takes nearly as long for an absent
 * field as for a given one.
 */
function narrow(
  schema: Joi.ObjectSchema<GenerateRequest>,
  given: Readonly<Record<string, unknown>>,
): Joi.ObjectSchema<GenerateRequest> {
  const known = narrowed.get(schema) ?? new Map<string, Joi.ObjectSchema<GenerateRequest>>();
  narrowed.set(schema, known);
  const set = Object.keys(given).join();
  const found = known.get(set);
  if (found || known.size >= MAX_NARROWED) {
    return found ?? schema;
  }
  const fields = BODY_NAMES.map((name) => [name, schema.extract(name)] as const);
  const built = buildSchema(fields.filter(([name, field]) => name in given || isNeverLeftOut(field)));
  known.set(set, built);
  return built;
}

function isNeverLeftOut(field: Joi.Schema): boolean {
  const { flags = {} } = field.describe() as { readonly flags?: Readonly<Record<string, unknown>> };
  return 'default' in flags || flags.presence === 'required';
}

/** Request of a valid body and the fields that were given, or a sentence for the caller. */
export type ParsedRequest =
  | { readonly request: GenerateRequest; readonly given: GivenRequest }
  | { readonly fault: string };

/**
 * Validates a parsed JSON body. Reads own fields of the contract only, so that `__proto__` and unknown fields have no
 * effect. The value `null` is the same as absent. The result's `fault` is a sentence for the caller.
 */
export function parseGenerateRequest(
  schema: Joi.ObjectSchema<GenerateRequest>,
  body: unknown,
): ParsedRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { fault: 'The body must be a JSON object.' };
  }
  const given: Record<string, unknown> = {};
  for (const name of BODY_NAMES) {
    const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    const field: TaskField = TASK_FIELDS[name];
    const normal = field.normalize ? field.normalize(value) : value;
    if (normal !== undefined && normal !== null) {
      given[name] = normal;
    }
  }
  const { error, value } = narrow(schema, given).validate(given);
  // Given fields have passed the same checks, only without defaults.
  return error ? { fault: error.message } : { request: value, given: given as unknown as GivenRequest };
}
