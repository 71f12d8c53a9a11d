import { LIMITS } from '../contract/index.js';
import {
  choice,
  type Infer,
  integer,
  list,
  nullable,
  object,
  optional,
  pageFields,
  shape,
  text,
  withMessage,
} from '../schema/index.js';
import { textSchema, urlRule } from '../validation/index.js';

/** Attempt to deliver a webhook. */
export const deliveryAttempt = object({
  attempt: integer(),
  /** HTTP status of the response; null without one. */
  status: nullable(integer()),
  error: nullable(text()),
  ended_at: text(),
});
export type DeliveryAttempt = Infer<typeof deliveryAttempt>;

/** Webhook of a finished task. */
export const deliveryItem = object({
  id: text(),
  task_id: text(),
  url: text(),
  state: choice(['pending', 'sending', 'delivered', 'failed']),
  attempt: integer(),
  /** HTTP status of the last response; null without one. */
  last_status: nullable(integer()),
  last_error: nullable(text()),
  next_attempt_at: nullable(text()),
  delivered_at: nullable(text()),
  created_at: text(),
  /** Newest first. */
  attempts: list(deliveryAttempt),
});
export type DeliveryItem = Infer<typeof deliveryItem>;

/** Secret that signs the webhooks of an account. */
export const webhookSecretView = object({
  secret: text(),
  /** Time until which the previous secret signs too; null when there is none. */
  previous_until: nullable(text()),
});
export type WebhookSecretView = Infer<typeof webhookSecretView>;

/** Test event, and its outcome as far as there is one. */
export const webhookTestView = object({
  id: text(),
  url: text(),
  created_at: text(),
  state: choice(['pending', 'sending', 'delivered', 'failed']),
  /** HTTP status of the response; null without one. */
  status: nullable(integer()),
  /** Reason why the event counts as not delivered, in plain words. */
  error: nullable(text()),
  /** Duration of the attempt; null until it has ended. */
  ms: nullable(integer()),
});
export type WebhookTestView = Infer<typeof webhookTestView>;

const STATES = ['pending', 'sending', 'delivered', 'failed'] as const;

/** Query of the list of deliveries. */
export const deliveriesQuery = object({
  ...pageFields,
  state: optional(withMessage(choice(STATES), `state must be one of ${STATES.join(', ')}.`)),
});

/** Body that sends a test event. */
export const webhookTestBody = object({
  url: withMessage(
    shape<string>(textSchema(urlRule({ max: LIMITS.webhookUrlCharacters, isAllowed: () => true }))),
    'Enter the http or https URL of your receiver.',
  ),
});
