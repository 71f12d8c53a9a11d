import type { Statement } from '../db/index.js';
import { AppError, notFound } from '../errors/index.js';
import { formatDollars } from '../money/index.js';
import { checkAmount } from '../validation/index.js';
import { auditValues } from './audit-values.js';
import { bookOnce } from './book-once.js';
import type { MoneyDeps } from './credit-account.js';

/** A correction by hand, in either direction. */
export interface AdjustInput {
  readonly accountId: string;
  /** Not zero; negative takes money. */
  readonly deltaMicros: bigint;
  readonly reason: string;
  /** The same one is booked once. */
  readonly reference?: string | null;
  /** True where the owner sees reason and reference. */
  readonly isShown?: boolean;
  /** Author, whom the audit log names by the same statement; without one there is no entry. */
  readonly actor?: string;
}

const ADJUST_ACCOUNT: Statement = {
  name: 'adjust-account',
  text: `
WITH account AS (
  UPDATE accounts SET balance_micros = balance_micros + $2::bigint
   WHERE id = $1 AND balance_micros + $2::bigint >= held_micros RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $6, 'account.adjust', id, $7::jsonb FROM account WHERE $6::text IS NOT NULL)
INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, external_ref, reason, is_shown)
SELECT $3, 'adjust', CASE WHEN $2::bigint > 0 THEN 'revenue' ELSE 'cust:' || id END,
       CASE WHEN $2::bigint > 0 THEN 'cust:' || id ELSE 'revenue' END, abs($2::bigint), id, $4, $5, $8::boolean FROM account
RETURNING id`,
};

const FIND_ACCOUNT: Statement = {
  name: 'find-account-to-adjust',
  text: 'SELECT id FROM accounts WHERE id = $1',
};

/**
 * Corrects a balance by a transfer from or to revenue, never below what is held; `adjusted: false` when this very reference
 * was booked before. Throws AppError `NOT_FOUND`, `INSUFFICIENT_BALANCE`, `VALIDATION_ERROR`, or `BAD_REQUEST` for a reference that
 * was used for something else.
 */
export async function adjustAccount(
  deps: MoneyDeps,
  { accountId, deltaMicros, reason, reference = null, isShown = false, actor }: AdjustInput,
): Promise<{ readonly adjusted: boolean }> {
  checkAmount(deltaMicros);
  const detail = { amount: formatDollars(deltaMicros), reason, reference, shown: isShown };
  const values = [accountId, deltaMicros, deps.newId('led'), reference, reason];
  const adjusted = await bookOnce(deps, { kind: 'adjust', accountId, deltaMicros, reference }, async () => {
    const audit = auditValues(deps.newId, actor, detail);
    const [row] = await deps.db.run(ADJUST_ACCOUNT, [...values, ...audit, isShown]);
    if (row) {
      return;
    }
    const [account] = await deps.db.run(FIND_ACCOUNT, [accountId]);
    if (!account) {
      throw notFound('account', accountId);
    }
    throw new AppError('INSUFFICIENT_BALANCE', {
      publicMessage:
        'The amount exceeds the available balance, which is the balance less the holds of open tasks.',
    });
  });
  return { adjusted };
}
