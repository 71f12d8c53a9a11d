import { adjustAccount as bookAdjustment } from '@image-gateway/shared/billing';
import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { checkAmount } from './check-amount.js';

/** Correction of a balance. */
export interface Adjustment {
  readonly accountId: string;
  /** Positive to add, negative to take away. */
  readonly deltaMicros: bigint;
  readonly reason: string;
  /** A reference is booked once. */
  readonly reference: string | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Corrects a balance in either direction, never below what is held; `adjusted` is false for a reference that was booked before. Throws AppError `NOT_FOUND`, `BAD_REQUEST`, `VALIDATION_ERROR`. */
export async function adjustAccount(
  { db }: { readonly db: Database },
  { actor, ...adjustment }: Adjustment,
): Promise<{ readonly adjusted: boolean }> {
  const { deltaMicros, reason, reference } = adjustment;
  checkAmount(deltaMicros);
  const audit = { actor, amount: formatDollars(deltaMicros), reason, reference };
  const { adjusted } = await bookAdjustment({ db, newId }, { ...adjustment, audit });
  return { adjusted };
}
