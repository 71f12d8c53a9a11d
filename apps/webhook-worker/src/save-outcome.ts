import { type Database, type DeliveryOutcome, finishDelivery } from '@image-gateway/shared/db';
import { pause } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';

const BETWEEN_TRIES_MS = 250;

/**
 * Writes the outcome of an attempt and keeps trying while the database is away, as long as the lease lasts: an outcome
 * that is lost means that the receiver gets the same webhook twice. False when it was not written.
 */
export async function saveOutcome(
  { db, logger, now }: { readonly db: Database; readonly logger: Logger; readonly now: () => number },
  outcome: DeliveryOutcome,
  { until }: { readonly until: number },
): Promise<boolean> {
  for (;;) {
    try {
      return await finishDelivery(db, outcome);
    } catch (error) {
      if (now() + BETWEEN_TRIES_MS >= until) {
        logger.error('the outcome of a webhook was not saved, it will be sent again', { error });
        return false;
      }
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
