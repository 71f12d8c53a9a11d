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

/** Result of a test event. */
export interface WebhookTestView {
  readonly id: string;
  /** HTTP status of the response; null without one. */
  readonly status: number | null;
  /** Reason why there was no response, in plain words. */
  readonly error: string | null;
  readonly ms: number;
}
