import { refundTask as bookRefund } from '@image-gateway/shared/billing';
import type { Database } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';

/** Task to refund. */
export interface TaskToRefund {
  readonly taskId: string;
  /** For the books. */
  readonly reason: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Refunds the whole cost of a completed task, once, and returns it in dollars. Throws AppError `NOT_FOUND`, `BAD_REQUEST`. */
export async function refundTask(
  { db }: { readonly db: Database },
  { taskId, reason, actor }: TaskToRefund,
): Promise<{ readonly refunded: string }> {
  const { amountMicros } = await bookRefund({ db, newId }, { taskId, reason, audit: { actor, reason } });
  return { refunded: formatDollars(amountMicros) };
}
