import type { DeliveryItem } from '@image-gateway/shared/contract';

/** A delivery with its attempts as the database holds them. */
export interface DeliveryWithAttempts {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly state: string;
  readonly attempt: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly createdAt: Date;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly status: number | null;
    readonly error: string | null;
    readonly endedAt: Date;
  }[];
}

/** Presents a delivery to the owner of its account, who chose the URL and may see all of it. */
export function presentDeliveryItem(delivery: DeliveryWithAttempts): DeliveryItem {
  return {
    id: delivery.id,
    task_id: delivery.taskId,
    url: delivery.url,
    state: delivery.state as DeliveryItem['state'],
    attempt: delivery.attempt,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    attempts: delivery.attempts.map(({ attempt, status, error, endedAt }) => ({
      attempt,
      status,
      error,
      ended_at: endedAt.toISOString(),
    })),
  };
}
