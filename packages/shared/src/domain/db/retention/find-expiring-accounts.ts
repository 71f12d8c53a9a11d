import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { AFTER_MARK, dueBefore, type ErasureTerms, keptUntil } from './retention-term.js';

/** Accounts of one look: a few milliseconds each. */
const PAGE_SIZE = 500;

const FIND_EXPIRING_ACCOUNTS: Statement = {
  name: 'find-expiring-accounts',
  text: `
WITH page AS MATERIALIZED (SELECT id, retention_days FROM accounts WHERE id > $1 ORDER BY id LIMIT $3::int)
SELECT max(a.id) AS last,
       COALESCE(array_agg(a.id ORDER BY a.id) FILTER (WHERE first.is_due), '{}') AS due
  FROM page a LEFT JOIN retention_marks m ON m.account_id = a.id
  LEFT JOIN LATERAL (
    SELECT t.status <> 'pending' AND ${keptUntil('$2')} <= now() AS is_due FROM tasks t
     WHERE t.account_id = a.id AND ${AFTER_MARK} AND t.created_at < ${dueBefore('$2')}
     ORDER BY t.created_at, t.id LIMIT 1) first ON true`,
};

/** Yields the ids of accounts that have expired tasks, page by page. */
export async function* findExpiringAccounts(
  db: Pick<Database, 'run'>,
  { days, signal }: ErasureTerms,
): AsyncGenerator<readonly string[]> {
  let after: string | null = '';
  while (after !== null && !signal.aborted) {
    const [page]: { readonly last: string | null; readonly due: readonly string[] }[] = await db.run(
      FIND_EXPIRING_ACCOUNTS,
      [after, days, PAGE_SIZE],
    );
    after = page?.last ?? null;
    yield page?.due ?? [];
  }
}
