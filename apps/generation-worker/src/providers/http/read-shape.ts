import Joi from 'joi';
import { ProviderError, type ProviderErrorOptions, type ProviderFailure } from '../failures.js';

/** Type of what a schema reads. */
export type Shape<S> = S extends Joi.AnySchema<infer T> ? T : never;

type Fields = Readonly<Record<string, Joi.AnySchema>>;
type Body<F extends Fields> = { readonly [Name in keyof F]: Shape<F[Name]> };

/** Where a response comes from, and what it means when its shape is not the documented one. */
export interface ShapeTerms extends Pick<ProviderErrorOptions, 'upstreamId'> {
  readonly upstream: string;
  /** `bad-response` unless given. */
  readonly failure?: ProviderFailure;
}

// Further entries of a list are not read: no response has more images, and a long list would stop the event loop.
const MAX_ENTRIES = 1_000;
const TERMS: Joi.ValidationOptions = { allowUnknown: true, convert: false };

/** Value that its reader judges. */
export const ANY: Joi.AnySchema<unknown> = Joi.any();
/** Text that may be missing; empty for any other value. */
export const TEXT: Joi.AnySchema<string> = Joi.string().allow('').default('').failover('');
/** Number of at least zero that may be missing; zero for any other value. */
export const COUNT: Joi.AnySchema<number> = Joi.number().min(0).default(0).failover(0);
/** Number of at least zero that may be missing; null for any other value. */
export const NUMBER: Joi.AnySchema<number | null> = Joi.number().min(0).default(null).failover(null);
/** Text that a response must have. */
export const NEEDED_TEXT: Joi.AnySchema<string> = Joi.string().required();

/** Object that a response must have. */
export function needed<F extends Fields>(fields: F): Joi.ObjectSchema<Body<F>> {
  return Joi.object<Body<F>>(fields).required();
}

/** Object that may be missing, as its fields may; null for any other value. */
export function nullable<F extends Fields>(fields: F): Joi.AnySchema<Body<F> | null> {
  return Joi.object(fields).default(null).failover(null);
}

/** Object that may be missing, as its fields may; one without fields for any other value. */
export function loose<F extends Fields>(fields: F): Joi.AnySchema<Body<F>> {
  const schema = Joi.object(fields);
  const empty = Joi.attempt({}, schema) as object;
  return schema.default(empty).failover(empty);
}

/** List that a response must have; entries of another form are left out, unless none is left. */
export function entries<T>(entry: Joi.AnySchema<T>): Joi.ArraySchema<readonly T[]> {
  return Joi.array<readonly T[]>()
    .required()
    .custom((given: readonly unknown[]) => {
      const kept = given.slice(0, MAX_ENTRIES).flatMap((one) => {
        const { value, error } = entry.required().validate(one, TERMS);
        return error ? [] : [value];
      });
      if (kept.length === 0 && given.length > 0) {
        throw new Error('no entry is as documented');
      }
      return kept;
    });
}

/** List that may be missing; empty for any other value, and without entries of another form. */
export function list<T>(entry: Joi.AnySchema<T>): Joi.AnySchema<readonly T[]> {
  return entries(entry).optional().default([]).failover([]);
}

/** Reads any value by a schema without needed parts, such as that of an error. */
export function readLoosely<T>(schema: Joi.AnySchema<T>, value: unknown): T {
  return Joi.attempt(value, schema, TERMS) as T;
}

/**
 * Reads the body of a response by its schema. Throws ProviderError with the path of what is not as documented; further fields
 * are no fault.
 */
export function readShape<T>(schema: Joi.AnySchema<T>, value: unknown, terms: ShapeTerms): T {
  const read = checkShape(schema, value, terms);
  if (read.error !== null) {
    throw read.error;
  }
  return read.body;
}

/** Reads like `readShape`, and returns the error: that of a job which has ended, since a failed poll is repeated. */
export function checkShape<T>(
  schema: Joi.AnySchema<T>,
  value: unknown,
  { upstream, failure = 'bad-response', upstreamId }: ShapeTerms,
): { readonly error: ProviderError } | { readonly error: null; readonly body: T } {
  const { error, value: body } = schema.required().validate(value, TERMS);
  return error
    ? {
        error: new ProviderError(failure, `${upstream} answered an unknown shape: ${error.message}`, {
          upstreamId,
        }),
      }
    : { error: null, body };
}
