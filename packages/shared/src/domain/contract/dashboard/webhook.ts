/** Attempt to deliver a webhook. */
export interface DeliveryAttempt {
  readonly attempt: number;
  /** HTTP status of the response; null without one. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ended_at: string;
}

/** Webhook of a finished task. */
export interface DeliveryItem {
  readonly id: string;
  readonly task_id: string;
  readonly url: string;
  readonly state: 'pending' | 'sending' | 'delivered' | 'failed';
  readonly attempt: number;
  /** HTTP status of the last response; null without one. */
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly delivered_at: string | null;
  readonly created_at: string;
  /** Newest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** Secret that signs the webhooks of an account. */
export interface WebhookSecretView {
  readonly secret: string;
  /** Time until which the previous secret signs too; null when there is none. */
  readonly previous_until: string | null;
}

/** Test event, and its outcome as far as there is one. */
export interface WebhookTestView {
  readonly id: string;
  readonly url: string;
  readonly created_at: string;
  readonly state: 'pending' | 'sending' | 'delivered' | 'failed';
  /** HTTP status of the response; null without one. */
  readonly status: number | null;
  /** Reason why the event counts as not delivered, in plain words. */
  readonly error: string | null;
  /** Duration of the attempt; null until it has ended. */
  readonly ms: number | null;
}
