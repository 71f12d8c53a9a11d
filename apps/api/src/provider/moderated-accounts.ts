import { MAX_REFUSALS } from '@image-gateway/shared/contract';
import { type Database, type Statement, tellOperatorsOnce } from '@image-gateway/shared/db';
import type { ModeratedItem } from '@image-gateway/shared/provider/schema';

// A day that has just ended is counted for another hour, so that its last refusals are not lost.
const TELL_MODERATED_ACCOUNTS: Statement = {
  name: 'tell-moderated-accounts',
  text: tellOperatorsOnce('account.moderated', {
    cause: 'r.account_id',
    startsOn: 'r.day',
    data: { account_id: 'r.account_id', refused: 'r.refused', since: 'r.since' },
    from: `
         (SELECT t.account_id, (c.created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS refused, min(c.created_at) AS since
            FROM provider_calls c JOIN tasks t ON t.id = c.task_id
           WHERE c.detail = 'moderation' AND c.created_at >= date_trunc('day', now() - interval '1 hour', 'UTC')
           GROUP BY 1, 2 HAVING count(*) > ${MAX_REFUSALS}) r`,
  }),
};

/** Tells operators of each account with more than 20 calls of a UTC day refused by moderation, once a day and account. */
export async function tellModeratedAccounts(db: Pick<Database, 'run'>): Promise<void> {
  await db.run(TELL_MODERATED_ACCOUNTS, []);
}

interface Row extends Omit<ModeratedItem, 'since' | 'last_at'> {
  readonly since: Date;
  readonly last_at: Date;
}

/** Accounts by provider on the page; those with most refusals are shown. */
const MAX_ACCOUNTS = 50;

const LIST_MODERATED_ACCOUNTS: Statement = {
  name: 'list-moderated-accounts',
  text: `
SELECT account_id, email, provider, refused, since, last_at
  FROM (SELECT a.id AS account_id, a.email, c.provider, count(*)::int AS refused, sum(count(*)) OVER (PARTITION BY a.id) AS of_account,
               min(c.created_at) AS since, max(c.created_at) AS last_at
          FROM provider_calls c JOIN tasks t ON t.id = c.task_id JOIN accounts a ON a.id = t.account_id
         WHERE c.detail = 'moderation' AND c.created_at >= $1::timestamptz GROUP BY a.id, c.provider) m
 WHERE of_account > $2::int ORDER BY of_account DESC, account_id, refused DESC, provider LIMIT ${MAX_ACCOUNTS}`,
};

/** Lists accounts whose calls moderation has refused more than `over` times since a moment, by provider; most refusals first. */
export async function listModeratedAccounts(
  db: Pick<Database, 'run'>,
  { since, over }: { readonly since: Date; readonly over: number },
): Promise<ModeratedItem[]> {
  const rows = await db.run<Row>(LIST_MODERATED_ACCOUNTS, [since, over]);
  return rows.map((row) => ({
    ...row,
    since: row.since.toISOString(),
    last_at: row.last_at.toISOString(),
  }));
}
