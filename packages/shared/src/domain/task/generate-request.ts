import Joi from 'joi';
import type { GenerateRequest, GivenRequest } from '../contract/index.js';
import { type GenerateSchemaOptions, TASK_FIELD_NAMES, TASK_FIELDS, type TaskField } from './fields.js';

/** Builds the schema of the body of `POST /v1/generate`: no coercion, one sentence per field about what is allowed. */
export function generateSchema(options: GenerateSchemaOptions): Joi.ObjectSchema<GenerateRequest> {
  const fields = TASK_FIELD_NAMES.map((name) => [name, TASK_FIELDS[name].schema(options)]);
  // Set once here: each validation would otherwise merge the preferences again.
  return Joi.object<GenerateRequest>(Object.fromEntries(fields)).prefs({
    convert: false,
    errors: { wrap: { label: false } },
  });
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
  for (const name of TASK_FIELD_NAMES) {
    const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    const field: TaskField = TASK_FIELDS[name];
    const normal = field.normalize ? field.normalize(value) : value;
    if (normal !== undefined && normal !== null) {
      given[name] = normal;
    }
  }
  const { error, value } = schema.validate(given);
  // Given fields have passed the same checks, only without defaults.
  return error ? { fault: error.message } : { request: value, given: given as unknown as GivenRequest };
}
