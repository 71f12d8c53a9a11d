import type { JsonSchema } from '@image-gateway/shared/schema';
import type { Schema } from 'joi';
import { openModel, toJsonSchema } from './to-json-schema.js';

/** Returns the parameters of a query. */
export function getParameters(schema: Schema): readonly JsonSchema[] {
  return Object.entries(toJsonSchema(schema).properties).map(([name, { description, ...field }]) => ({
    name,
    in: 'query',
    description,
    ...(field.type === 'object' && { style: 'deepObject', explode: true }),
    schema: openModel(name, field),
  }));
}

/** Describes that a read may take too long, and which parameters make it shorter. */
export function slowReads(narrowBy: string): string {
  return (
    `Totals are exact, and every page answers. A read that takes too long ends in \`503\` with \`Retry-After\`: try again, or ask ` +
    `for less with ${narrowBy}.`
  );
}

/** Header of submits. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes a repetition safe for 24 hours: the same key with the same body gets the original answer, with another body `BAD_REQUEST`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};
