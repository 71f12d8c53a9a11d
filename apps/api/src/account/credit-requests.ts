import type { CreditRequestItem } from '@image-gateway/shared/account/schema';
import {
  type CreditRequest,
  type Database,
  type Statement,
  selectOperatorEvents,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';

/** Request of an owner for credit. */
export interface NewCreditRequest {
  readonly accountId: string;
  readonly email: string;
  readonly amountMicros: bigint | null;
  readonly note: string | null;
}

type Row = Readonly<Pick<CreditRequest, 'accountId' | 'email' | 'amountMicros' | 'note' | 'createdAt'>>;

const ASK_FOR_CREDIT: Statement = {
  name: 'ask-for-credit',
  text: `
WITH asked AS (
  INSERT INTO credit_requests (account_id, day, email, amount_micros, note)
  VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2, $3::int8, $4) ON CONFLICT DO NOTHING RETURNING account_id, email, amount_micros, note),
told AS (
  ${selectOperatorEvents('account.credit_requested', {
    from: 'asked a',
    data: { account_id: 'a.account_id', email: 'a.email', amount: 'a.amount_micros', note: 'a.note' },
  })})
SELECT account_id, (SELECT count(*) FROM told) AS told FROM asked`,
};

// A payment or a correction after it has answered a request.
const LIST_CREDIT_REQUESTS: Statement = {
  name: 'list-credit-requests',
  text: `
SELECT r.account_id AS "accountId", r.email, r.amount_micros AS "amountMicros", r.note, r.created_at AS "createdAt"
  FROM (SELECT DISTINCT ON (account_id) * FROM credit_requests
         WHERE created_at > now() - interval '30 days' AND account_id = COALESCE($1::text, account_id)
         ORDER BY account_id, day DESC) r
 WHERE NOT EXISTS (SELECT FROM ledger_transfers t
                    WHERE t.account_id = r.account_id AND t.created_at > r.created_at AND t.kind IN ('topup', 'adjust')
                      AND t.credit_account = 'cust:' || t.account_id)
 ORDER BY r.created_at DESC LIMIT $2::int`,
};

/** Asks the operators for credit, once a UTC day, and tells their endpoints. Throws AppError `RATE_LIMITED` when that was done before. */
export async function askForCredit(
  db: Pick<Database, 'run'>,
  { accountId, email, amountMicros, note }: NewCreditRequest,
): Promise<void> {
  const [row] = await db.run(ASK_FOR_CREDIT, [accountId, email, amountMicros, note]);
  if (!row) {
    throw new AppError('RATE_LIMITED', {
      publicMessage: 'The operator has your request of today. You can ask again tomorrow.',
    });
  }
}

/** Lists the requests of the last 30 days that nothing was credited for, newest first; of one account, or of all. */
export async function listCreditRequests(
  db: Pick<Database, 'run'>,
  { accountId, limit }: { readonly accountId: string | null; readonly limit: number },
): Promise<CreditRequestItem[]> {
  const rows = await db.run<Row>(LIST_CREDIT_REQUESTS, [accountId, limit]);
  return rows.map(({ accountId: id, email, amountMicros, note, createdAt }) => ({
    account_id: id,
    email,
    amount: amountMicros === null ? null : formatDollars(amountMicros),
    note,
    created_at: createdAt.toISOString(),
  }));
}
