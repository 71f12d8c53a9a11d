/** Upper bounds of the buckets of durations in milliseconds, as the SQL function `hour_bounds()` has them. */
export const DURATION_BOUNDS_MS: readonly number[] = Array.from({ length: 44 }, (_, n) => 50 * 1.25 ** n);

/** Builds the SQL expression for the sums of a column of buckets over a group. Subscripts are far cheaper than unnesting. */
export const sumBuckets = (column: string): string =>
  `ARRAY[${Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, n) => `COALESCE(sum(${column}[${n + 1}]), 0)`).join(', ')}]::float8[]`;

/** Adds up rows of buckets. */
export function addBuckets(rows: readonly (readonly number[])[]): number[] {
  return Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, n) =>
    rows.reduce((sum, row) => sum + (row[n] ?? 0), 0),
  );
}

/**
 * Estimates the duration in milliseconds below which the given share of all durations is. Within a bucket they are taken as
 * spread evenly, so the error is below a quarter. Null without durations.
 */
export function estimatePercentile(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total <= 0) {
    return null;
  }
  let rest = total * share;
  for (const [n, count] of buckets.entries()) {
    if (rest <= count && count > 0) {
      const from = n === 0 ? 0 : (DURATION_BOUNDS_MS[n - 1] ?? 0);
      const upTo = DURATION_BOUNDS_MS[n] ?? from;
      return Math.round(from + (upTo - from) * (rest / count));
    }
    rest -= count;
  }
  return Math.round(DURATION_BOUNDS_MS.at(-1) ?? 0);
}
