import { creditAccount as bookCredit } from '@image-gateway/shared/billing';
import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { checkAmount } from './check-amount.js';

/** Payment of a customer. */
export interface Payment {
  readonly accountId: string;
  /** More than 0. */
  readonly amountMicros: bigint;
  /** A reference is credited once. */
  readonly reference: string | null;
  readonly reason: string | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Credits a payment to an account; `credited` is false for a reference that was booked before. Throws AppError `NOT_FOUND`, `VALIDATION_ERROR`. */
export async function creditAccount(
  { db }: { readonly db: Database },
  { actor, ...payment }: Payment,
): Promise<{ readonly credited: boolean }> {
  const { amountMicros, reference, reason } = payment;
  checkAmount(amountMicros);
  const audit = { actor, amount: formatDollars(amountMicros), reference, reason };
  const { credited } = await bookCredit({ db, newId }, { ...payment, audit });
  return { credited };
}
