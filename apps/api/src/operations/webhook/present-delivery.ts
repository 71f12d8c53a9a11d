import type { WebhookDelivery } from '@image-gateway/shared/db';
import { type DeliveryProgress, presentProgress } from './present-progress.js';

/** Columns of a delivery that operators see. */
export type DeliveryRow = DeliveryProgress & Readonly<Pick<WebhookDelivery, 'id' | 'hostPort'>>;

/** Presents a delivery to an operator with the host only: paths and queries may hold secrets of the customer. */
export function presentDelivery(delivery: DeliveryRow) {
  return { id: delivery.id, ...presentProgress(delivery), host: delivery.hostPort };
}
