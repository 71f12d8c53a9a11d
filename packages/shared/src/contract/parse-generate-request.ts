import type { ObjectSchema } from 'joi';
import type { GenerateRequest } from './generate-request.js';

const FIELDS = [
  'model',
  'prompt',
  'negative_prompt',
  'aspect_ratio',
  'num_outputs',
  'resolution',
  'image_urls',
  'webhook_url',
  'duration',
] as const satisfies readonly (keyof GenerateRequest)[];

/**
 * Validates a parsed JSON body. Only own fields of the contract are looked at and copied, so that `__proto__` and unknown
 * fields have no effect; `null` is the same as absent. `fault` is a sentence for the caller.
 */
export function parseGenerateRequest(
  schema: ObjectSchema<GenerateRequest>,
  body: unknown,
): { readonly request: GenerateRequest } | { readonly fault: string } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { fault: 'The body must be a JSON object.' };
  const given: Record<string, unknown> = {};
  for (const name of FIELDS) {
    const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
    if (value !== undefined && value !== null) given[name] = value;
  }
  const { error, value } = schema.validate(given);
  return error ? { fault: error.message } : { request: value };
}
