/** The lease of a task in the laboratory, in milliseconds; all recovery bounds follow from it. */
export const LEASE_MS = 2_000;
/** How often workers look for what is overdue, in milliseconds. */
export const SWEEP_MS = 500;
/** From the death of a worker to the claim by another one, at most, in milliseconds. */
export const RECOVERY_MS = LEASE_MS + SWEEP_MS + 5_000;
/** How long a stopping process may go on with what it has begun, in milliseconds. */
export const GRACE_MS = 2_000;

/** Settings of every process of the product under test: short times, no rate limits. */
export const fastSettings: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  LEASE_MS: String(LEASE_MS),
  HEARTBEAT_MS: '600',
  SWEEP_MS: String(SWEEP_MS),
  RETRY_BACKOFF: '0.2,0.4,0.8',
  WEBHOOK_RETRY_SCHEDULE: '0.3,0.6,1,1,2,2,3,3,3',
  WEBHOOK_TIMEOUT_MS: '2000',
  TASK_DEADLINE_MS: '60000',
  SHUTDOWN_GRACE_MS: String(GRACE_MS),
  GENERATION_CONCURRENCY: '12',
  MAX_PENDING_TASKS: '20000',
  MAX_FAILED_TASKS: 'off',
  RATE_LIMIT_KEY: 'off',
  RATE_LIMIT_IP: 'off',
  RATE_LIMIT_FILES: 'off',
  PROVIDERS: 'sandbox',
  S3_BUCKET: 'image-gateway',
};
