import type { Database } from '../create-database.js';
import { inputRows, type Statement } from '../statement.js';

/** Caps of a key in micro-dollars, null without one, and what its tasks hold and have cost in the same windows. */
export interface KeySpend {
  readonly capDayMicros: bigint | null;
  readonly capMonthMicros: bigint | null;
  readonly capTotalMicros: bigint | null;
  readonly dayMicros: bigint;
  readonly monthMicros: bigint;
  readonly totalMicros: bigint;
}

/** Window of a cap; days and months are those of UTC. */
export type CapWindow = 'day' | 'month' | 'total';

/** Cap of a key and how much of it is used. */
export interface KeyCap {
  readonly window: CapWindow;
  readonly limitMicros: bigint;
  readonly usedMicros: bigint;
}

const FIND_KEY_SPEND: Statement = {
  name: 'find-key-spend',
  text: `
WITH ${inputRows('id text, account text')}
SELECT k.cap_day_micros AS "capDayMicros", k.cap_month_micros AS "capMonthMicros", k.cap_total_micros AS "capTotalMicros",
       s.day_micros AS "dayMicros", s.month_micros AS "monthMicros", s.total_micros AS "totalMicros", i.place
  FROM input i JOIN api_keys k ON k.id = i.id AND k.account_id = i.account
 CROSS JOIN LATERAL sum_key_spend(k.account_id, k.id, k.cap_total_micros IS NOT NULL) s
 WHERE COALESCE(k.cap_day_micros, k.cap_month_micros, k.cap_total_micros) IS NOT NULL`,
  batch: {},
};

/** Finds what a key has used of its caps; null for a key without caps and for the playground. */
export async function findKeySpend(
  db: Pick<Database, 'run'>,
  { accountId, apiKeyId }: { readonly accountId: string; readonly apiKeyId: string },
): Promise<KeySpend | null> {
  const [row] = await db.run<KeySpend>(FIND_KEY_SPEND, [{ id: apiKeyId, account: accountId }]);
  return row ?? null;
}

/** Lists the caps of a key from the shortest window to the longest. */
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
