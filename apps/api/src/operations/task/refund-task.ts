import { refundTask as bookRefund } from '@image-gateway/shared/billing';
import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';

/** Task whose cost is given back. */
export interface TaskToRefund {
  readonly taskId: string;
  /** For the books. */
  readonly reason: string;
  /** Who did it, for the audit. */
  readonly actor: string;
}

/** Gives back all that a completed task cost, once, and returns the amount in dollars. Throws AppError `NOT_FOUND`, or `BAD_REQUEST` for a task that is not completed or was refunded before. */
export async function refundTask(
  { db }: { readonly db: Database },
  { taskId, reason, actor }: TaskToRefund,
): Promise<{ readonly refunded: string }> {
  const { amountMicros } = await bookRefund({ db, newId }, { taskId, reason, audit: { actor, reason } });
  return { refunded: formatDollars(amountMicros) };
}
