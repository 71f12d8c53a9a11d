import { type Database, isUniqueViolation, type Statement } from '../db/index.js';
import { AppError } from '../errors/index.js';
import type { IdPrefix } from '../ids/index.js';
import { type AuditDetail, auditValues } from './audit-values.js';

/** What moving money by hand needs. */
export interface MoneyDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
}

/** A top-up; the same reference is credited once. */
export interface CreditInput {
  readonly accountId: string;
  readonly amountMicros: bigint;
  readonly reference?: string;
  /** Written into the audit log by the same statement. */
  readonly audit?: AuditDetail;
}

const CREDIT_ACCOUNT: Statement = {
  name: 'credit-account',
  text: `
WITH account AS (UPDATE accounts SET balance_micros = balance_micros + $2::bigint WHERE id = $1 RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $5, 'account.credit', id, $6::jsonb FROM account WHERE $5::text IS NOT NULL)
INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, external_ref)
SELECT $3, 'topup', 'cash', 'cust:' || id, $2::bigint, id, $4 FROM account
RETURNING id`,
};

const FIND_BY_REFERENCE: Statement = {
  name: 'find-transfer-by-reference',
  text: `
SELECT kind, account_id AS "accountId", amount_micros AS "amountMicros" FROM ledger_transfers WHERE external_ref = $1`,
};

/** Tops an account up; `credited: false` when this very reference was credited before. Throws AppError `NOT_FOUND`, or `BAD_REQUEST` for a reference that was used for something else. */
export async function creditAccount(
  deps: MoneyDeps,
  input: CreditInput,
): Promise<{ readonly credited: boolean }> {
  const reference = input.reference ?? null;
  try {
    const [transfer] = await deps.db.run(CREDIT_ACCOUNT, [
      input.accountId,
      input.amountMicros,
      deps.newId('led'),
      reference,
      ...auditValues(deps.newId, input.audit),
    ]);
    if (!transfer)
      throw new AppError('NOT_FOUND', { publicMessage: `There is no account ${input.accountId}.` });
    return { credited: true };
  } catch (error) {
    if (!isUniqueViolation(error, 'ledger_transfers_external_ref')) throw error;
  }
  const [earlier] = await deps.db.run<{ kind: string; accountId: string; amountMicros: bigint }>(
    FIND_BY_REFERENCE,
    [reference],
  );
  if (
    earlier?.kind === 'topup' &&
    earlier.accountId === input.accountId &&
    earlier.amountMicros === input.amountMicros
  ) {
    return { credited: false };
  }
  throw new AppError('BAD_REQUEST', {
    publicMessage: `The reference ${reference} was already used for another amount or account.`,
  });
}
