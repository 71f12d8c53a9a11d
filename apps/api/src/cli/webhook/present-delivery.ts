/** The columns of a delivery that operators see. */
export interface DeliveryView {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly hostPort: string;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
}

/** Presents a delivery to an operator: the receiver's host only, since paths and queries may hold secrets of the customer. */
export function presentDelivery(delivery: DeliveryView) {
  return {
    id: delivery.id,
    state: delivery.state,
    attempt: delivery.attempt,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    host: delivery.hostPort,
  };
}
