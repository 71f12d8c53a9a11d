import type { ObjectSchema } from 'joi';

/** Validates the parameters of a query; unknown ones are ignored. `fault` is a sentence for the caller. */
export function parseQuery<T>(
  schema: ObjectSchema<T>,
  query: Readonly<Record<string, unknown>>,
): { readonly query: T } | { readonly fault: string } {
  const { error, value } = schema.validate(query, {
    stripUnknown: true,
    errors: { wrap: { label: false } },
  });
  return error ? { fault: error.message } : { query: value };
}
