import {
  buildPagination,
  type Envelope,
  ok,
  type Page,
  type PageQuery,
} from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { findUnstorable, parseQuery } from '@image-gateway/shared/validation';
import type { Schema } from 'joi';
import type { Call, Reply } from './framework/call.js';

/** Validates the query of a request; throws AppError `BAD_REQUEST` that names the parameter and its allowed values. */
export function readQuery<T>(schema: Schema<T>, call: Pick<Call, 'query'>): T {
  const parsed = parseQuery(schema, call.query);
  if ('fault' in parsed) {
    throw new AppError('BAD_REQUEST', { publicMessage: parsed.fault });
  }
  const place = findUnstorable(parsed.query);
  if (place !== null) {
    throw new AppError('BAD_REQUEST', { publicMessage: `${place} must not contain NUL characters.` });
  }
  return parsed.query;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns a copy of an object without its undefined fields. */
export function omitUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Wraps a page of a list in the envelope. */
export function pageReply<T>(
  { page, per_page }: PageQuery,
  items: readonly T[],
  total: number,
): Reply<Envelope<Page<T>>> {
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    json: ok({ items, pagination: buildPagination(page, per_page, total) }),
  };
}
