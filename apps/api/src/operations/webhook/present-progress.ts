/** Columns of a delivery that show how far it is. */
export interface DeliveryProgress {
  readonly state: string;
  readonly attempt: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
}

/** Presents how far a delivery is, to its owner and to operators alike. */
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
