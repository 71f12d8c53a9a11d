import { type Database, isUniqueViolation, type Statement } from '../db/index.js';
import { AppError } from '../errors/index.js';

/** A transfer by hand that carries a reference. */
export interface ReferencedTransfer {
  readonly kind: 'topup' | 'adjust';
  readonly accountId: string;
  /** Micro-dollars that the account gets; negative takes. */
  readonly deltaMicros: bigint;
  readonly reference: string | null;
}

const FIND_BY_REFERENCE: Statement = {
  name: 'find-transfer-by-reference',
  text: `
SELECT kind, account_id AS "accountId",
       CASE WHEN credit_account = 'cust:' || account_id THEN amount_micros ELSE -amount_micros END AS "deltaMicros"
  FROM ledger_transfers WHERE external_ref = $1`,
};

/**
 * Runs the statement that books a transfer; false when this very transfer was booked under the same reference before. Throws
 * AppError `BAD_REQUEST` for a reference that was used for another one, and what `book` throws.
 */
export async function bookOnce(
  { db }: { readonly db: Pick<Database, 'run'> },
  { kind, accountId, deltaMicros, reference }: ReferencedTransfer,
  book: () => Promise<void>,
): Promise<boolean> {
  try {
    await book();
    return true;
  } catch (error) {
    if (reference === null || !mayBeRepeated(error)) {
      throw error;
    }
    const [earlier] = await db.run<Omit<ReferencedTransfer, 'reference'>>(FIND_BY_REFERENCE, [reference]);
    if (!earlier) {
      throw error;
    }
    if (earlier.kind === kind && earlier.accountId === accountId && earlier.deltaMicros === deltaMicros) {
      return false;
    }
    throw new AppError('BAD_REQUEST', {
      publicMessage: `The reference ${reference} was already used for another amount or account.`,
    });
  }
}

/** The first send of a transfer may also be the reason why there is too little money for the second one. */
function mayBeRepeated(error: unknown): boolean {
  return (
    isUniqueViolation(error, 'ledger_transfers_external_ref') ||
    (error instanceof AppError && error.code === 'INSUFFICIENT_BALANCE')
  );
}
