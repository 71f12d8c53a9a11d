import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { createBatchedTaskSettler } from '@image-gateway/shared/billing';
import { publicUrlsOf } from '@image-gateway/shared/config';
import { type ClaimTerms, type Database, saveWorkerReport } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { createOutbound } from '@image-gateway/shared/net';
import {
  createConsumer,
  createConsumptionProbe,
  createProducer,
  createRedis,
} from '@image-gateway/shared/queues';
import type { ObjectStore } from '@image-gateway/shared/storage';
import pLimit from 'p-limit';
import sharp from 'sharp';
import type { Claim } from './attempt/open-attempt.js';
import type { Settings } from './env.js';
import { createFitter } from './images/create-fitter.js';
import { createInspector } from './images/create-inspector.js';
import { type ProcessDeps, processGeneration } from './process-generation.js';
import { createProviders } from './providers/create-providers.js';
import { createHealth } from './providers/health/create-health.js';
import { createRouter, type Router } from './providers/router.js';
import { startSweeps } from './sweeps/start-sweeps.js';
import { createClaims } from './work/create-claims.js';
import { createPermits } from './work/create-permits.js';
import { createWorkshop } from './work/create-workshop.js';

/** What a generation worker is made of; what is optional has its real thing as the default. */
export interface WorkerParts {
  readonly settings: Settings;
  readonly db: Database;
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long hints must wait untaken until the queue counts as not consumed. */
  readonly queueStuckAfterMs: number;
  readonly router?: Router;
  /** Prefix of the queues' keys. */
  readonly prefix?: string;
}

/** A running generation worker. */
export interface GenerationWorker {
  /** What is wrong at this moment, or null. */
  readonly probe: () => Promise<string | null>;
  /** Takes no new tasks. */
  readonly stopIntake: () => void;
  /** Lets running attempts end, gives back what is left shortly before the time is up. */
  readonly finishWork: (leftMs: number) => Promise<void>;
  readonly disconnect: (leftMs: number) => Promise<void>;
}

const EXPIRED_EVERY_MS = 1_000;
const DECODES_AT_A_TIME = 2;
// 10 MiB each at most.
const INPUT_IMAGES_HELD = 48;
// 48 MiB each at most, twice for a moment.
const LARGE_ANSWERS_HELD = 3;

/** Wires a generation worker and starts it: hints from the queue, and sweeps over the database. */
export function composeWorker(parts: WorkerParts): GenerationWorker {
  const { settings, db, store, logger, metrics } = parts;
  const prefix = parts.prefix === undefined ? {} : { prefix: parts.prefix };
  // One thread a picture: several tasks run at a time, and a cache of other people's pictures helps nobody.
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
    ...prefix,
    onFailure: ({ name, count }) => metrics.hints.inc({ queue: name, result: 'unavailable' }, count),
  });
  const workshop = createWorkshop({ places: settings.GENERATION_CONCURRENCY, logger, metrics });
  const ending = new AbortController();
  const limit = pLimit(DECODES_AT_A_TIME);
  const health = createHealth({ metrics });
  const deps: ProcessDeps = {
    ...{ db, store, producer, metrics, logger, newId, now },
    settle: createBatchedTaskSettler({ db }),
    stop: workshop.stop,
    router: parts.router ?? createRouter(createProviders(settings), settings.routes),
    health,
    answerPermits: createPermits(LARGE_ANSWERS_HELD),
    outbound: createOutbound({ allow: new Set(settings.OUTBOUND_ALLOW) }),
    inspect: createInspector({ limit }),
    fit: createFitter({ limit }),
    inputPermits: createPermits(INPUT_IMAGES_HELD),
    fileUrl: publicUrlsOf(settings).fileUrl,
    leaseMs: settings.LEASE_MS,
    heartbeatMs: settings.HEARTBEAT_MS,
    maxTries: settings.TASK_MAX_ATTEMPTS,
    retryBackoff: settings.RETRY_BACKOFF,
    ambiguousRetries: settings.AMBIGUOUS_RETRIES,
    maxUpstreamCostMicros: settings.MAX_UPSTREAM_COST ?? null,
    random: Math.random,
  };
  const claims = createClaims({
    ...{ db, terms, metrics, now },
    places: settings.GENERATION_CONCURRENCY,
    expiredEveryMs: Math.min(settings.SWEEP_MS, EXPIRED_EVERY_MS),
  });
  const run = (claim: Claim): Promise<void> =>
    processGeneration(deps, claim).finally(() => claims.done(claim));
  const takeHint = async (taskId: string): Promise<void> => {
    const claim = await claims.byHint(taskId);
    if (claim) await run(claim);
  };
  const consumer = createConsumer({
    queue: 'generation',
    redisUrl: settings.REDIS_URL,
    concurrency: settings.GENERATION_CONCURRENCY,
    logger,
    handlers: { generation: ({ taskId }) => workshop.work(() => takeHint(taskId)) },
    ...prefix,
  });
  const isQueueStuck = createConsumptionProbe({ consumer, stuckAfterMs: parts.queueStuckAfterMs });
  const sweeps = startSweeps({
    ...deps,
    claims,
    metrics,
    store,
    workshop,
    process: run,
    report: () =>
      saveWorkerReport(db, {
        ...{ id: terms.workerId, service: 'generation-worker', host: hostname(), pid: process.pid },
        report: { candidates: health.reports() },
      }),
    sweepMs: settings.SWEEP_MS,
    overdueMs: settings.SWEEP_MS,
    queueIsReady: () => consumer.isReady() && redis.status === 'ready',
    signal: ending.signal,
  });

  return {
    probe: async () => {
      const hung = sweeps.hung();
      if (hung !== null) return `the sweep ${hung} hangs`;
      return (await isQueueStuck()) ? 'the queue is not consumed' : null;
    },
    stopIntake: () => {
      ending.abort();
      consumer.pause().catch((error: unknown) => logger.debug('could not pause the queue', { error }));
    },
    finishWork: workshop.close,
    disconnect: async (leftMs) => {
      await Promise.allSettled([consumer.close(leftMs), producer.close(), sweeps.ended]);
      redis.disconnect();
    },
  };
}
