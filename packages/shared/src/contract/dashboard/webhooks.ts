/** One attempt of a delivery that has ended. */
export interface DeliveryAttempt {
  readonly attempt: number;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ended_at: string;
}

/** The webhook of one task, with its attempts, newest first. */
export interface DeliveryItem {
  readonly id: string;
  readonly task_id: string;
  readonly url: string;
  readonly state: 'pending' | 'sending' | 'delivered' | 'failed';
  readonly attempt: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly delivered_at: string | null;
  readonly created_at: string;
  readonly attempts: readonly DeliveryAttempt[];
}

/** What signs the webhooks of an account. */
export interface WebhookSecretView {
  readonly secret: string;
  /** Until when the secret before this one signs too; null when there is none. */
  readonly previous_until: string | null;
}

/** How a receiver took a test event. */
export interface WebhookTestView {
  readonly id: string;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** Why there was none, in plain words. */
  readonly error: string | null;
  readonly ms: number;
}
