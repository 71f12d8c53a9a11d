import type { Statement } from '../statement.js';

/** SQL of a list whose rows are counted in buckets of time. `$1` is the account, `$2` the length of the page, `$3` its offset. */
export interface CountedList {
  readonly name: string;
  /** Table of the rows, which have `account_id`, `created_at` and `id`. */
  readonly rows: string;
  /** Table of their counters, which have `account_id` and `starts_at`. */
  readonly counts: string;
  /** Expression over the counters `c` of a bucket: number of rows that the filter wants. */
  readonly counted: string;
  /**
   * Condition under which `counted` is exact, true unless given. Otherwise it is an upper bound, and the rows are
   * counted where it is not 0.
   */
  readonly isExact?: string;
  /** Condition on a row `t`: the same filter. */
  readonly wanted: string;
  /** First time that the list includes, as an expression that is never null. */
  readonly from: string;
  /** First time after the list, as an expression that is never null. */
  readonly to: string;
  /** Columns of a row `t` on the page. */
  readonly columns: string;
  /** Query parameters that narrow `from` and `to`, where a request has any. */
  readonly narrowBy?: string;
}

/** Rows of an unfiltered list that are reached without its counters: about a bucket of them. */
export const FIRST_ROWS = 1_000;

/**
 * Builds the statement that reads a page of a list, newest first, and the total. Whole buckets are counted by their counters.
 * Rows are read only in the buckets where the page lies, and in the two that the times of the filter cut. One statement
 * gives both, so that they fit together; counters change in the transaction of their rows.
 */
export function buildListStatement(list: CountedList): Statement {
  const { name, rows, counts, counted, isExact = 'true', wanted, from, to, columns, narrowBy } = list;
  const inPart = `t.account_id = $1 AND t.created_at >= p.first AND t.created_at < p.after AND ${wanted}`;
  return {
    name,
    ...(narrowBy !== undefined && { narrowBy }),
    text: `
WITH bounds AS (SELECT ${from} AS lo, ${to} AS hi),
buckets AS (
  SELECT c.starts_at, lead(c.starts_at, 1, 'infinity') OVER (ORDER BY c.starts_at) AS ends_at, (${counted})::int8 AS counted
    FROM ${counts} c WHERE c.account_id = $1 GROUP BY c.starts_at),
parts AS (
  SELECT GREATEST(b.starts_at, s.lo) AS first, LEAST(b.ends_at, s.hi) AS after, b.counted,
         b.starts_at >= s.lo AND b.ends_at <= s.hi AND ${isExact} AS whole
    FROM buckets b, bounds s WHERE b.ends_at > s.lo AND b.starts_at < s.hi AND b.counted > 0),
sizes AS MATERIALIZED (
  SELECT p.first, p.after, CASE WHEN p.whole THEN p.counted ELSE (SELECT count(*) FROM ${rows} t WHERE ${inPart}) END AS size
    FROM parts p),
places AS MATERIALIZED (
  SELECT first, after, size, (sum(size) OVER (ORDER BY first DESC) - size)::int8 AS newer FROM sizes),
page AS MATERIALIZED (
  SELECT r.id, r.created_at FROM places p CROSS JOIN LATERAL (
    SELECT t.id, t.created_at FROM ${rows} t WHERE ${inPart}
     ORDER BY t.created_at DESC, t.id DESC LIMIT $2::int8 OFFSET GREATEST($3::int8 - p.newer, 0)) r
   WHERE p.size > 0 AND p.newer < $3::int8 + $2::int8 AND p.newer + p.size > $3::int8
   ORDER BY r.created_at DESC, r.id DESC LIMIT $2::int8)
SELECT s.total, shown.*
  FROM (SELECT COALESCE(sum(size), 0)::int8 AS total FROM places) s LEFT JOIN (
    SELECT ${columns}
      FROM ${rows} t WHERE t.id = ANY (ARRAY(SELECT id FROM page)) ORDER BY t.created_at DESC, t.id DESC) shown ON true`,
  };
}
