import type { CapWindow } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** Caps of a key in micro-dollars, null without one, and what its tasks hold and have cost in the same windows. */
export interface KeySpend {
  readonly capDayMicros: bigint | null;
  readonly capMonthMicros: bigint | null;
  readonly capTotalMicros: bigint | null;
  readonly dayMicros: bigint;
  readonly monthMicros: bigint;
  readonly totalMicros: bigint;
  /** Key of metadata whose values have daily caps of their own. */
  readonly capPerKey: string | null;
  readonly capPerMicros: bigint | null;
}

/** Cap of a key and how much of it is used. */
export interface KeyCap {
  readonly window: CapWindow;
  readonly limitMicros: bigint;
  readonly usedMicros: bigint;
}

const CAPS = `k.cap_day_micros AS "capDayMicros", k.cap_month_micros AS "capMonthMicros", k.cap_total_micros AS "capTotalMicros",
       s.day_micros AS "dayMicros", s.month_micros AS "monthMicros", s.total_micros AS "totalMicros",
       k.cap_per_key AS "capPerKey", k.cap_per_micros AS "capPerMicros"`;
const SUMS = 'CROSS JOIN LATERAL sum_key_spend(k.account_id, k.id, k.cap_total_micros IS NOT NULL) s';
const IS_CAPPED =
  'COALESCE(k.cap_day_micros, k.cap_month_micros, k.cap_total_micros, k.cap_per_micros) IS NOT NULL';

const LIST_KEY_SPEND: Statement = {
  name: 'list-key-spend',
  text: `SELECT k.id, ${CAPS} FROM api_keys k ${SUMS} WHERE k.id = ANY ($1::text[]) AND ${IS_CAPPED}`,
};

/** Lists what keys have used of their caps, by their ids; keys without caps are left out. */
export async function listKeySpend(
  db: Pick<Database, 'run'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KeySpend>> {
  const rows = await db.run<KeySpend & { readonly id: string }>(LIST_KEY_SPEND, [ids]);
  return new Map(rows.map(({ id, ...spend }) => [id, spend]));
}

/** Lists the caps of a key from the shortest window to the longest, without those of values. */
export function listCaps(spend: KeySpend): KeyCap[] {
  const caps: readonly (readonly [CapWindow, bigint | null, bigint])[] = [
    ['day', spend.capDayMicros, spend.dayMicros],
    ['month', spend.capMonthMicros, spend.monthMicros],
    ['total', spend.capTotalMicros, spend.totalMicros],
  ];
  return caps.flatMap(([window, limitMicros, usedMicros]) =>
    limitMicros === null ? [] : [{ window, limitMicros, usedMicros }],
  );
}

const DELETE_OLD_VALUE_SPEND: Statement = {
  name: 'delete-old-value-spend',
  text: `
WITH old AS (
  SELECT account_id, api_key_id, value, day FROM key_value_spend
   WHERE day <= (now() AT TIME ZONE 'UTC')::date - 2 ORDER BY day LIMIT $1::int FOR UPDATE SKIP LOCKED)
DELETE FROM key_value_spend s USING old
 WHERE s.account_id = old.account_id AND s.api_key_id = old.api_key_id AND s.value = old.value AND s.day = old.day RETURNING s.day`,
};

/** Deletes up to `limit` counters of caps by value, two days after their day; returns their number. */
export async function deleteOldValueSpend(
  db: Pick<Database, 'run'>,
  { limit }: { readonly limit: number },
): Promise<number> {
  return (await db.run(DELETE_OLD_VALUE_SPEND, [limit])).length;
}
