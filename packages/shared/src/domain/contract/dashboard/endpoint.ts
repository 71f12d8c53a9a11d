import type { DeliveryItem } from './webhook.js';

/** Address that events are sent to. */
export interface EndpointItem {
  readonly id: string;
  readonly url: string;
  readonly types: readonly string[];
  /** Dollars, of `account.balance_low`. */
  readonly threshold: string | null;
  /** Events that are not delivered yet. */
  readonly waiting: number;
  /** Events that made room for newer ones. */
  readonly dropped: number;
  /** Since when every attempt failed; null: the last one did not. */
  readonly failing_since: string | null;
  /** When it was switched off. */
  readonly disabled_at: string | null;
  readonly created_at: string;
}

/** New endpoint; its secret is shown once. */
export interface NewEndpointView {
  readonly id: string;
  readonly secret: string;
}

/** Body that creates an endpoint. */
export interface CreateEndpointBody {
  readonly url: string;
  readonly types: readonly string[];
  /** Dollars such as `5.00`. */
  readonly threshold?: string | null;
}

/** Event for an endpoint. */
export interface EventItem extends Omit<DeliveryItem, 'task_id'> {
  readonly endpoint_id: string;
  readonly type: string;
}
