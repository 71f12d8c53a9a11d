/** Body of a request for images, as a client sends it. */
export interface Wish {
  readonly prompt: string;
  readonly num_outputs?: number;
  readonly resolution?: string;
  readonly seed?: number;
  readonly output_format?: string;
  /** Known by no build but the other one of the upgrade test. */
  readonly grain?: string;
  readonly image_urls?: readonly string[];
  readonly webhook_url?: string;
}

/** One request of a client and its outcome as the client knows it. */
export interface Submission {
  /** Sent as X-Request-Id, by which the row of the task is found. */
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  readonly wish: Wish;
  outcome: 'accepted' | 'refused' | 'unknown';
  taskId: string | null;
  /** HTTP status, or the code of a broken connection, of the last answer. */
  answer: string;
  /** How long the slowest answer took, in milliseconds. */
  slowestMs: number;
  calls: number;
}
