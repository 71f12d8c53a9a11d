import type { Statement } from '../db/index.js';
import { AppError } from '../errors/index.js';
import { type AuditDetail, auditValues } from './audit-values.js';
import type { MoneyDeps } from './credit-account.js';

/** A correction by hand, in either direction. */
export interface AdjustInput {
  readonly accountId: string;
  /** Not zero; negative takes money. */
  readonly deltaMicros: bigint;
  readonly reason: string;
  /** Written into the audit log by the same statement. */
  readonly audit?: AuditDetail;
}

const ADJUST_ACCOUNT: Statement = {
  name: 'adjust-account',
  text: `
WITH account AS (
  UPDATE accounts SET balance_micros = balance_micros + $2::bigint
   WHERE id = $1 AND balance_micros + $2::bigint >= held_micros RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $5, 'account.adjust', id, $6::jsonb FROM account WHERE $5::text IS NOT NULL)
INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, reason)
SELECT $3, 'adjust', CASE WHEN $2::bigint > 0 THEN 'revenue' ELSE 'cust:' || id END,
       CASE WHEN $2::bigint > 0 THEN 'cust:' || id ELSE 'revenue' END, abs($2::bigint), id, $4 FROM account
RETURNING id`,
};

const FIND_ACCOUNT: Statement = {
  name: 'find-account-to-adjust',
  text: 'SELECT id FROM accounts WHERE id = $1',
};

/** Corrects a balance by a transfer from or to revenue, never below what is held. Throws AppError `NOT_FOUND` or `INSUFFICIENT_BALANCE`. */
export async function adjustAccount(deps: MoneyDeps, input: AdjustInput): Promise<void> {
  const audit = auditValues(deps.newId, input.audit);
  const values = [input.accountId, input.deltaMicros, deps.newId('led'), input.reason, ...audit];
  const [transfer] = await deps.db.run(ADJUST_ACCOUNT, values);
  if (transfer) return;
  const [account] = await deps.db.run(FIND_ACCOUNT, [input.accountId]);
  if (!account) throw new AppError('NOT_FOUND', { publicMessage: `There is no account ${input.accountId}.` });
  throw new AppError('INSUFFICIENT_BALANCE', {
    publicMessage: 'The balance less what is held for open tasks is smaller than that.',
  });
}
