import type { Database, Statement } from '../db/index.js';
import { notFound } from '../errors/index.js';
import type { IdPrefix } from '../ids/index.js';
import { formatDollars } from '../money/index.js';
import { checkAmount } from '../validation/index.js';
import { auditValues } from './audit-values.js';
import { bookOnce } from './book-once.js';

/** Dependencies of manual transfers. */
export interface MoneyDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
}

/** A top-up; the same reference is credited once. */
export interface CreditInput {
  readonly accountId: string;
  readonly amountMicros: bigint;
  readonly reference?: string | null;
  /** Kept on the transfer, for the books. */
  readonly reason?: string | null;
  /** Author, whom the audit log names by the same statement; without one there is no entry. */
  readonly actor?: string;
}

const CREDIT_ACCOUNT: Statement = {
  name: 'credit-account',
  text: `
WITH account AS (UPDATE accounts SET balance_micros = balance_micros + $2::bigint WHERE id = $1 RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $6, 'account.credit', id, $7::jsonb FROM account WHERE $6::text IS NOT NULL)
INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, external_ref, reason)
SELECT $3, 'topup', 'cash', 'cust:' || id, $2::bigint, id, $4, $5 FROM account
RETURNING id`,
};

/**
 * Tops an account up; `credited: false` when this very reference was credited before. Throws AppError `NOT_FOUND`,
 * `VALIDATION_ERROR`, or `BAD_REQUEST` for a reference that was used for something else.
 */
export async function creditAccount(
  deps: MoneyDeps,
  { accountId, amountMicros, reference = null, reason = null, actor }: CreditInput,
): Promise<{ readonly credited: boolean }> {
  checkAmount(amountMicros);
  const detail = { amount: formatDollars(amountMicros), reference, reason };
  const transfer = { kind: 'topup', accountId, deltaMicros: amountMicros, reference } as const;
  const values = [accountId, amountMicros, deps.newId('led'), reference, reason];
  const credited = await bookOnce(deps, transfer, async () => {
    const [row] = await deps.db.run(CREDIT_ACCOUNT, [...values, ...auditValues(deps.newId, actor, detail)]);
    if (!row) {
      throw notFound('account', accountId);
    }
  });
  return { credited };
}
