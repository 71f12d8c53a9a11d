import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { ClaimTerms } from '@image-gateway/shared/db';
import { createDecoder, createValidator } from '@image-gateway/shared/images';
import {
  createConsumer,
  createConsumptionProbe,
  createProducer,
  createRedis,
} from '@image-gateway/shared/queues';
import sharp from 'sharp';
import { takeChecks } from './checks/take-checks.js';
import { createClaims, type EarlyClaim } from './claiming/create-claims.js';
import { createDueClaiming } from './claiming/create-due-claiming.js';
import { createWorkerPool } from './claiming/create-worker-pool.js';
import { composeSteps } from './compose-steps.js';
import { composeSweeps } from './compose-sweeps.js';
import { createReport } from './create-report.js';
import { type GenerationSteps, processGeneration } from './process-generation.js';
import { createCatalogRouter } from './routing/create-catalog-router.js';
import { createFieldChooser } from './routing/create-field-chooser.js';
import { createHealth } from './routing/create-health.js';
import type { WorkerParts } from './worker-parts.js';

/** A running generation worker. */
export interface GenerationWorker {
  /** Returns the current problem, or null. */
  readonly probe: () => Promise<string | null>;
  /** Stops taking new tasks. */
  readonly stopIntake: () => void;
  /** Waits for running attempts, and releases the remaining ones shortly before the time is up. */
  readonly finishWork: (leftMs: number) => Promise<void>;
  readonly disconnect: (leftMs: number) => Promise<void>;
}

const EXPIRED_EVERY_MS = 1_000;

/** Wires a generation worker and starts it: hints from the queue, and sweeps over the database. */
export function composeWorker(parts: WorkerParts): GenerationWorker {
  const { settings, db, logger, metrics } = parts;
  const { REDIS_PREFIX: prefix, SWEEP_MS: sweepMs } = settings;
  // One thread per image: several tasks run concurrently, and a cache of images would never be hit.
  sharp.concurrency(1);
  sharp.cache(false);
  const terms: ClaimTerms = {
    workerId: `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`,
    leaseMs: settings.LEASE_MS,
    maxTries: settings.TASK_MAX_ATTEMPTS,
  };
  const now = (): number => performance.now();
  const redis = createRedis({
    url: settings.REDIS_URL,
    mode: 'fail-fast',
    name: 'generation-producer',
    logger,
  });
  const producer = createProducer({
    redis,
    prefix,
    onFailure: ({ name, count }) => metrics.hints.inc({ queue: name, result: 'unavailable' }, count),
  });
  const pool = createWorkerPool({ slots: settings.GENERATION_CONCURRENCY, logger, metrics });
  const ending = new AbortController();
  const { signal } = ending;
  // Every sweep listens, and all that waits for memory or the store.
  setMaxListeners(0, signal);
  const decode = createDecoder({
    ...(parts.decoderPath !== undefined && { nodePath: parts.decoderPath }),
    onFailure: (error) => {
      metrics.decoderFailures.inc();
      logger.error('no decoder of images can be started', { error });
    },
  });
  const validate = createValidator({ decode });
  const health = createHealth({ metrics });
  const fields = createFieldChooser();
  const report = createReport(parts, { workerId: terms.workerId, health });
  const router =
    parts.router ??
    createCatalogRouter(parts, signal, (found) => {
      fields.clear();
      report.reportProviders(found);
    });
  const claims = createClaims({
    db,
    terms,
    metrics,
    now,
    slots: settings.GENERATION_CONCURRENCY,
    expiredEveryMs: Math.min(sweepMs, EXPIRED_EVERY_MS),
  });
  const { workerId } = terms;
  const { finishTask, ...made } = composeSteps({
    parts,
    workerId,
    now,
    redis,
    producer,
    pool,
    claims,
    router,
    health,
    fields,
    validate,
    decode,
    reportStore: report.reportStore,
    signal,
  });
  const steps: GenerationSteps = {
    ...made,
    awaitPermit: ({ task }, candidates) =>
      health.permits.wait(candidates, task, (afterAttempt) => runHinted(task.id, { afterAttempt })),
  };
  const runHinted = (taskId: string, early?: EarlyClaim): Promise<void> =>
    pool.run(() => processGeneration(steps, () => claims.claimHinted(taskId, early)));
  const consumer = createConsumer({
    queue: 'generation',
    redisUrl: settings.REDIS_URL,
    concurrency: settings.GENERATION_CONCURRENCY,
    logger,
    handlers: { generation: ({ taskId }) => runHinted(taskId) },
    prefix,
  });
  const isQueueStuck = createConsumptionProbe({ consumer, stuckAfterMs: parts.queueStuckAfterMs });
  const queueIsReady = (): boolean => consumer.isReady() && redis.status === 'ready';
  const claimDue = createDueClaiming({
    claims,
    pool,
    process: (claimed) => processGeneration(steps, async () => claimed),
    queueIsReady,
    sweepMs,
    signal,
  });
  const checks = takeChecks({ db, settings, logger, validate, signal });
  const sweeps = composeSweeps({
    parts,
    now,
    router,
    producer,
    queueIsReady,
    finishTask,
    claimDue,
    report: report.save,
    signal,
  });

  return {
    probe: async () => {
      const hung = sweeps.hung();
      if (hung !== null) {
        return `the sweep ${hung} hangs`;
      }
      return (await isQueueStuck()) ? 'the queue is not consumed' : null;
    },
    stopIntake: () => {
      ending.abort();
      consumer.pause().catch((error: unknown) => logger.debug('could not pause the queue', { error }));
    },
    finishWork: async (leftMs) => {
      await pool.close(leftMs);
      await report.end();
    },
    disconnect: async (leftMs) => {
      await Promise.allSettled([consumer.close(leftMs), producer.close(), sweeps.ended, checks]);
      redis.disconnect();
    },
  };
}
