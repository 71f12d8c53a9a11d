/** Settings of the runs whose subject is not time: short leases and back-offs, no rate limits, both models. */
export const fastSettings: Readonly<Record<string, string>> = {
  LEASE_MS: '3000',
  HEARTBEAT_MS: '800',
  SWEEP_MS: '500',
  RETRY_BACKOFF: '0.2,0.4,0.8',
  WEBHOOK_RETRY_SCHEDULE: '1,1,2',
  WEBHOOK_TIMEOUT_MS: '3000',
  TASK_DEADLINE_MS: '30000',
  RATE_LIMIT_KEY: 'off',
  RATE_LIMIT_IP: 'off',
  RATE_LIMIT_FILES: 'off',
};

// Variables that a test runner or a developer's shell may have set; a newcomer's shell has none of them.
const foreign =
  /^(PORT|HOST|BASE_URL|TRUST_PROXY|DATABASE_URL|REDIS_URL|S3_.*|FILE_URL|ENABLED_MODELS|RATE_LIMIT_.*|MAX_PENDING_.*|TASK_.*|RETRY_BACKOFF|AMBIGUOUS_RETRIES|MAX_UPSTREAM_COST(_DAY)?|LEASE_MS|HEARTBEAT_MS|SWEEP_MS|GENERATION_CONCURRENCY|WEBHOOK_.*|OUTBOUND_ALLOW|PROVIDERS|GEMINI_.*|FAL_.*|REPLICATE_.*|OPENAI_.*|OPENROUTER_.*|ROUTES_FILE|LOG_LEVEL|SHUTDOWN_GRACE_MS|METRICS_PORT|AUTH_SECRET|ALLOW_SIGNUP|DEMO|DATA_DIR|NODE_ENV|NODE_OPTIONS|JEST_WORKER_ID|npm_(lifecycle|package|command).*)$/;

/** The environment of a newcomer's shell with the given settings added. */
export function environmentWith(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(inherited), ...settings };
}
