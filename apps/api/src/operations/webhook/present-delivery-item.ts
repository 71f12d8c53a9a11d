import type { DeliveryItem } from '@image-gateway/shared/contract';
import { type DeliveryProgress, presentProgress } from './present-progress.js';

/** A delivery with its attempts as the database holds them. */
export interface DeliveryWithAttempts extends DeliveryProgress {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
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
    ...presentProgress(delivery),
    state: delivery.state as DeliveryItem['state'],
    created_at: delivery.createdAt.toISOString(),
    attempts: delivery.attempts.map(({ attempt, status, error, endedAt }) => ({
      attempt,
      status,
      error,
      ended_at: endedAt.toISOString(),
    })),
  };
}
