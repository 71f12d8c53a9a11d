import type { WebhookDelivery } from '@image-gateway/shared/db';

/** Columns of the progress of a delivery. */
export type DeliveryProgress = Readonly<
  Pick<WebhookDelivery, 'state' | 'attempt' | 'lastStatus' | 'lastError' | 'nextAttemptAt' | 'deliveredAt'>
>;

/** Presents the progress of a delivery, for owners and operators. */
export function presentProgress(delivery: DeliveryProgress) {
  return {
    state: delivery.state,
    attempt: delivery.attempt,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
  };
}
