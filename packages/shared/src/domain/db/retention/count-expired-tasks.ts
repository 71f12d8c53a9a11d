import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { findExpiringAccounts } from './find-expiring-accounts.js';
import { AFTER_MARK, dueBefore, type ErasureTerms, keptUntil } from './retention-term.js';

/** Expired tasks of an account that are not yet erased. */
export interface ExpiredTasks {
  readonly accountId: string;
  /** Days of its retention. */
  readonly days: number;
  readonly tasks: number;
  readonly images: number;
  /** Bytes of the images. */
  readonly bytes: number;
}

const COUNT_EXPIRED: Statement = {
  name: 'count-expired-tasks',
  text: `
SELECT a.id AS "accountId", COALESCE(a.retention_days, $2::float8) AS days, count(DISTINCT t.id)::int AS tasks,
       count(o.key)::int AS images, COALESCE(sum(o.bytes), 0)::float8 AS bytes
  FROM accounts a LEFT JOIN retention_marks m ON m.account_id = a.id
  JOIN tasks t ON t.account_id = a.id AND ${AFTER_MARK} AND t.created_at < ${dueBefore('$2')}
  LEFT JOIN task_outputs o ON o.task_id = t.id
 WHERE a.id = $1 AND t.status <> 'pending' AND t.erased_at IS NULL AND ${keptUntil('$2')} <= now()
 GROUP BY a.id`,
};

/** Yields what a run of the retention would erase, account by account. */
export async function* countExpiredTasks(
  db: Pick<Database, 'run'>,
  terms: ErasureTerms,
): AsyncGenerator<ExpiredTasks> {
  for await (const accounts of findExpiringAccounts(db, terms)) {
    for (const accountId of accounts) {
      yield* await db.run<ExpiredTasks>(COUNT_EXPIRED, [accountId, terms.days]);
    }
  }
}
