import {
  type Infer,
  integer,
  list,
  nullable,
  object,
  omit,
  required,
  text,
  withDefault,
  withMessage,
} from '../schema/index.js';
import { deliveryItem } from '../webhook/schema.js';

/** Address that events are sent to. */
export const endpointItem = object({
  id: text(),
  url: text(),
  types: list(text()),
  /** Dollars, of `account.balance_low`. */
  threshold: nullable(text()),
  /** Events that are not delivered yet. */
  waiting: integer(),
  /** Events that made room for newer ones. */
  dropped: integer(),
  /** Since when every attempt failed; null: the last one did not. */
  failing_since: nullable(text()),
  /** When an event was delivered last; null: none of those that are kept was. */
  last_delivered_at: nullable(text()),
  /** When it was switched off. */
  disabled_at: nullable(text()),
  created_at: text(),
});
export type EndpointItem = Infer<typeof endpointItem>;

/** New endpoint; its secret is shown once. */
export const newEndpointView = object({
  id: text(),
  secret: text(),
});
export type NewEndpointView = Infer<typeof newEndpointView>;

/** Event for an endpoint. */
export const eventItem = object({
  ...omit(deliveryItem.fields, 'task_id'),
  endpoint_id: text(),
  type: text(),
});
export type EventItem = Infer<typeof eventItem>;

/** Body that creates an endpoint. */
export const createEndpointBody = object({
  url: text(),
  types: list(text({ minLength: 1 })),
  /** Dollars such as `5.00`. */
  threshold: withDefault(
    withMessage(nullable(required(20, '')), 'A threshold is an amount of dollars such as 5.00.'),
    null,
  ),
});
