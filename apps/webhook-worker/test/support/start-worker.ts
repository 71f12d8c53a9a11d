import type { Database } from '@image-gateway/shared/db';
import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics, type Metrics } from '@image-gateway/shared/metrics';
import { createOutbound, type ResolveHost } from '@image-gateway/shared/outbound';
import { composeWorker } from '../../src/compose.js';
import { readSettings } from '../../src/env.js';

/** A webhook worker inside the test's process. */
export interface TestWorker {
  readonly log: string[];
  readonly metrics: Metrics;
  readonly probe: () => Promise<string | null>;
  /** Ends it as SIGTERM would, with that much grace. */
  readonly stop: (graceMs?: number) => Promise<void>;
}

/** Starts a worker over a test's database. */
export function startWorker(
  db: Database,
  env: Readonly<Record<string, string>>,
  redisUrl: string,
  { resolve, ...options }: { readonly searchEveryMs?: number; readonly resolve?: ResolveHost } = {},
): TestWorker {
  const settings = readSettings({ DATABASE_URL: 'postgresql://unused/x', REDIS_URL: redisUrl, ...env });
  const log: string[] = [];
  const logger = createLogger({ service: 'webhook-worker', level: 'info', write: (line) => log.push(line) });
  const metrics = createMetrics('webhook-worker');
  const worker = composeWorker({
    settings,
    db,
    logger,
    metrics,
    queueStuckAfterMs: 120_000,
    ...options,
    ...(resolve && { outbound: createOutbound({ allow: new Set(settings.OUTBOUND_ALLOW), resolve }) }),
  });
  return {
    log,
    metrics,
    probe: worker.probe,
    stop: async (graceMs = 500) => {
      await worker.stopIntake(graceMs);
      // As the shutdown of a process does: a part that hangs does not hold the end.
      const late = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
      await Promise.race([worker.finishWork(graceMs), late]);
    },
  };
}
