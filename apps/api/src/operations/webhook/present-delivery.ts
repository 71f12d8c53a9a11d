import { type DeliveryProgress, presentProgress } from './present-progress.js';

/** Columns of a delivery that operators see. */
export interface DeliveryRow extends DeliveryProgress {
  readonly id: string;
  readonly hostPort: string;
}

/** Presents a delivery to an operator: the receiver's host only, since paths and queries may hold secrets of the customer. */
export function presentDelivery(delivery: DeliveryRow) {
  return { id: delivery.id, ...presentProgress(delivery), host: delivery.hostPort };
}
