import type { DeliveryItem } from '@image-gateway/shared/contract';
import type { WebhookAttempt, WebhookDelivery } from '@image-gateway/shared/db';
import { type DeliveryProgress, presentProgress } from './present-progress.js';

/** Row of a delivery with the rows of its attempts. */
export interface DeliveryWithAttempts
  extends DeliveryProgress,
    Readonly<Pick<WebhookDelivery, 'id' | 'taskId' | 'url' | 'createdAt'>> {
  readonly attempts: readonly Readonly<Pick<WebhookAttempt, 'attempt' | 'status' | 'error' | 'endedAt'>>[];
}

/** Presents a delivery to the owner of its account, with the whole URL. */
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
