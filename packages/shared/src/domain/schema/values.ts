import Joi from 'joi';
import { type IdPrefix, idPattern } from '../ids/index.js';
import { describe, integer, list, named, object, record, type Shape, shape, text } from './shape.js';

/** An id with this prefix. */
export const id = (prefix: IdPrefix) => text({ pattern: idPattern(prefix) });

/** A moment. */
export const time = text({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
});

const DOLLARS = 'Dollars, such as `$0.0100`; `$0.00` for nothing.';

/** An amount of money. */
export const dollars = text({ pattern: '^\\$\\d+\\.\\d{2,6}$', description: DOLLARS });

/** An amount of money that may be negative. */
export const signedDollars = text({
  pattern: '^-?\\$\\d+\\.\\d{2,6}$',
  description: DOLLARS,
});

/** A number of things. */
export const count = integer({ minimum: 0 });

/** Texts of a request by their keys. */
export const metadata = record(text());

/** An object without fields. */
export const nothing = object({});

/** Where a page stands in its list. */
export const pagination = named(
  'Pagination',
  object({
    page: integer({ minimum: 1 }),
    per_page: integer({ minimum: 1, maximum: 100 }),
    total: count,
    total_pages: describe(count, '0 for an empty list.'),
  }),
);

/** A page of a list. */
export const paged = <S extends Shape<unknown>>(item: S) => object({ items: list(item), pagination });

/** JSON Schema of what is always null. Generators of clients make code of it that does not compile where `type` is null alone. */
export const ALWAYS_NULL = { type: ['object', 'null'], description: 'Null.' } as const;

/** Body of a successful response: the envelope around its data. */
export const enveloped = <S extends Shape<unknown>>(data: S) =>
  object({ data, error: shape<null>(Joi.valid(null), ALWAYS_NULL) });

/** The same shape, of whose fields the document requires none: later releases may leave some out. */
export const loosely = <S extends Shape<unknown>>(given: S): S => {
  const { required: _all, ...json } = given.json;
  return { ...given, json };
};
