import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

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
