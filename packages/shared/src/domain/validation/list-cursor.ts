import { parseInstant } from '../contract/index.js';

/** Place in a list from the newest to the oldest: the row after which it goes on. */
export interface ListCursor {
  /** ISO 8601, or `infinity`. */
  readonly time: string;
  readonly id: string;
}

/** Part of a list; `next` is the text of the place where the next part begins, null at the end. */
export interface ListPart<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Place before the newest row. */
export const START_OF_LIST: ListCursor = { time: 'infinity', id: '' };

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9A-Za-z_]{1,68})$/;

/** Reads a place from the text that a part named as the next; null for any other text. */
export function parseCursor(text: string): ListCursor | null {
  const [, time = '', id = ''] = CURSOR.exec(text) ?? [];
  return parseInstant(time) ? { time, id } : null;
}

/** Writes a place as text. */
export function formatCursor({ time, id }: ListCursor): string {
  return `${time}_${id}`;
}

/** Makes a part of up to `limit` rows from one row more, which shows that there is a next part. */
export function toPart<Row extends { readonly createdAt: Date; readonly id: string }, T>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => T,
): ListPart<T> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(present),
    next: last ? formatCursor({ time: last.createdAt.toISOString(), id: last.id }) : null,
  };
}
