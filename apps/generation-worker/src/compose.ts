import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type Catalog, listProvidersInUse } from '@image-gateway/shared/catalog/document';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { LIMITS } from '@image-gateway/shared/contract';
import {
  type ClaimTerms,
  createCatalogFeed,
  type Database,
  saveWorkerReport,
  type WorkerReport,
} from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createConcurrencyLimiter, createRateLimiter } from '@image-gateway/shared/limits';
import type { Logger } from '@image-gateway/shared/logging';
import { type Metrics, watchCatalog } from '@image-gateway/shared/metrics';
import { createOutbound } from '@image-gateway/shared/outbound';
import {
  createConsumer,
  createConsumptionProbe,
  createProducer,
  createRedis,
  createTaskEndPublisher,
} from '@image-gateway/shared/queues';
import { createSpool } from '@image-gateway/shared/spool';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { NO_TRACING, type Tracing } from '@image-gateway/shared/tracing';
import sharp from 'sharp';
import { createClaims, type EarlyClaim } from './claiming/create-claims.js';
import { createWorkerPool } from './claiming/create-worker-pool.js';
import type { Settings } from './env.js';
import { createResizer } from './images/create-resizer.js';
import { createValidator } from './images/create-validator.js';
import { createDecoder } from './images/decoder/create-decoder.js';
import { createHostLimits, type HostBounds } from './inputs/create-host-limits.js';
import { type ProcessDeps, processGeneration } from './process-generation.js';
import { createProviders } from './providers/create-providers.js';
import type { JobPace } from './providers/follow-job.js';
import { createResponseStore } from './responses/create-response-store.js';
import { createStoreGate } from './responses/create-store-gate.js';
import { createHealth } from './routing/create-health.js';
import { createRouter, type Router } from './routing/create-router.js';
import { createRouteFinder, findInstance } from './routing/find-routes.js';
import { startSweeps } from './sweeps/start-sweeps.js';

/** Parts of a generation worker; optional ones default to the production implementation. */
export interface WorkerParts {
  readonly settings: Settings;
  readonly db: Database;
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
  /** Age of a waiting hint at which the queue counts as not consumed. */
  readonly queueStuckAfterMs: number;
  readonly router?: Router;
  readonly hostBounds?: HostBounds;
  readonly jobPace?: JobPace;
  /** Executable of node for decoders of images; that of this process unless given. */
  readonly decoderPath?: string;
}

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
// For downloads whose process died; others are released at their end.
const LEASE_SLACK_MS = 5_000;
// Ten images, from their first byte until they have been resized.
const LOADING_INPUT_BYTES = 10 * LIMITS.inputImageBytes;
// Until the end of the attempt. Half of it, the share of one account, is enough for nine images of any size.
const HELD_INPUT_BYTES = 192 * 1024 * 1024;
// Does not fit on a disk that is nearly full.
const PROBE_BYTES = 64 * 1024;

/** Wires a generation worker and starts it: hints from the queue, and sweeps over the database. */
export function composeWorker(parts: WorkerParts): GenerationWorker {
  const { settings, db, store, logger, metrics } = parts;
  const prefix = settings.REDIS_PREFIX;
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
  // Every sweep listens, and all that waits for memory or the store.
  setMaxListeners(0, ending.signal);
  const decode = createDecoder({
    ...(parts.decoderPath !== undefined && { nodePath: parts.decoderPath }),
    onFailure: (error) => {
      metrics.decoderFailures.inc();
      logger.error('no decoder of images can be started', { error });
    },
  });
  const health = createHealth({ metrics });
  let providers: ReportedProviders = {};
  const report = (): Promise<void> =>
    saveWorkerReport(db, {
      id: terms.workerId,
      service: 'generation-worker',
      host: hostname(),
      pid: process.pid,
      report: { candidates: health.reports(), ...providers },
    });
  // The offer of the API follows from it, and does not wait for the next sweep.
  const reportProviders = (found: ReportedProviders): void => {
    providers = found;
    report().catch((error: unknown) => logger.warn('the report of this worker was not saved', { error }));
  };
  const claims = createClaims({
    db,
    terms,
    metrics,
    now,
    slots: settings.GENERATION_CONCURRENCY,
    expiredEveryMs: Math.min(settings.SWEEP_MS, EXPIRED_EVERY_MS),
  });
  const limits = { redis, onFallback: () => metrics.limiterFallbacks.inc() };
  const hostLimits = createHostLimits({
    concurrency: createConcurrencyLimiter({
      ...limits,
      prefix: `${prefix}:downloads`,
      leaseMs: LIMITS.inputImageTimeoutMs + LEASE_SLACK_MS,
    }),
    rate: createRateLimiter({ ...limits, prefix: `${prefix}:limit` }),
    ...(parts.hostBounds && { bounds: parts.hostBounds }),
  });
  const deps: ProcessDeps = {
    db,
    store,
    producer,
    metrics,
    logger,
    newId,
    now,
    tracing: parts.tracing ?? NO_TRACING,
    publishEnd: createTaskEndPublisher(redis, prefix),
    stop: pool.stop,
    wake: (taskId, afterAttempt) => pool.run(() => processHinted(taskId, { afterAttempt })),
    router: parts.router ?? createCatalogRouter(parts, ending.signal, reportProviders),
    health,
    responses: createResponseStore({
      logger,
      metrics,
      memoryBytes: settings.ANSWER_MEMORY,
      spoolBytes: settings.SPOOL_MAX,
      spool: createSpool({
        dir: settings.SPOOL_DIR,
        maxBytes: settings.SPOOL_MAX,
        id: terms.workerId,
        onSize: (bytes) => metrics.spoolBytes.set(bytes),
      }),
    }),
    storeGate: createStoreGate({
      probe: () => probeStore(store, terms.workerId),
      logger,
      signal: ending.signal,
    }),
    outbound: createOutbound({ allow: new Set(settings.OUTBOUND_ALLOW), contact: settings.contact }),
    validate: createValidator({ decode }),
    resize: createResizer({ decode }),
    loadingBytes: createSemaphore({ permits: LOADING_INPUT_BYTES, leavesRoom: true }),
    heldInputBytes: createSemaphore({ permits: HELD_INPUT_BYTES, leavesRoom: true }),
    startLoading: claims.startLoading,
    hostLimits,
    fileUrl: settings.fileUrl,
    leaseMs: settings.LEASE_MS,
    heartbeatMs: settings.HEARTBEAT_MS,
    maxTries: settings.TASK_MAX_ATTEMPTS,
    retryBackoff: settings.RETRY_BACKOFF,
    ambiguousRetries: settings.AMBIGUOUS_RETRIES,
    maxUpstreamCostMicros: settings.MAX_UPSTREAM_COST ?? null,
    random: Math.random,
  };
  const processHinted = (taskId: string, early?: EarlyClaim): Promise<void> =>
    processGeneration(deps, () => claims.claimHinted(taskId, early));
  const consumer = createConsumer({
    queue: 'generation',
    redisUrl: settings.REDIS_URL,
    concurrency: settings.GENERATION_CONCURRENCY,
    logger,
    handlers: { generation: ({ taskId }) => pool.run(() => processHinted(taskId)) },
    prefix,
  });
  const isQueueStuck = createConsumptionProbe({ consumer, stuckAfterMs: parts.queueStuckAfterMs });
  const sweeps = startSweeps({
    ...deps,
    claims,
    metrics,
    store,
    pool,
    process: (claim) => processGeneration(deps, async () => claim),
    report,
    retentionDays: settings.RETENTION_DAYS ?? null,
    retentionSweepMs: settings.RETENTION_SWEEP_MS,
    detailRetentionDays: settings.DETAIL_RETENTION_DAYS,
    sweepMs: settings.SWEEP_MS,
    overdueMs: settings.SWEEP_MS,
    queueIsReady: () => consumer.isReady() && redis.status === 'ready',
    signal: ending.signal,
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
    finishWork: pool.close,
    disconnect: async (leftMs) => {
      await Promise.allSettled([consumer.close(leftMs), producer.close(), sweeps.ended]);
      redis.disconnect();
    },
  };
}

/** Creates the router over the active catalog, which is followed until the signal. */
function createCatalogRouter(
  { settings, db, logger, metrics, jobPace }: WorkerParts,
  signal: AbortSignal,
  reportProviders: (providers: ReportedProviders) => void,
): Router {
  const watch = watchCatalog({ logger, metrics });
  const feed = createCatalogFeed({
    db,
    ...watch,
    onChange: (active) => {
      watch.onChange(active);
      reportProviders(listProviders(settings, active.catalog, logger));
    },
  });
  signal.addEventListener('abort', feed.stop, { once: true });
  const providers = createProviders(settings, jobPace);
  return createRouter(providers, createRouteFinder(feed, settings), (name) => findInstance(feed, name));
}

/** Providers that the reports of this worker name. */
type ReportedProviders = Pick<WorkerReport['report'], 'providers' | 'sandboxServesRest'>;

/** Lists and logs the providers in use, and logs the names in `PROVIDERS` that are neither built in nor an instance with its keys. */
function listProviders({ chosen, readKeys }: Settings, catalog: Catalog, logger: Logger): ReportedProviders {
  const { names: providers, sandboxServesRest } = listProvidersInUse(catalog, chosen, readKeys);
  logger.info('providers in use', { providers });
  const missing = (chosen.named ?? []).filter((name) => !providers.includes(name));
  if (missing.length > 0) {
    logger.warn('PROVIDERS names providers that are not configured', { missing });
  }
  return { providers, sandboxServesRest };
}

/** Puts an object of its own into the store and removes it. Throws StorageError. */
async function probeStore(store: ObjectStore, workerId: string): Promise<void> {
  const key = `doctor/${workerId}`;
  await store.replace(key, Buffer.alloc(PROBE_BYTES), { contentType: 'application/octet-stream' });
  await store.remove([key]);
}
