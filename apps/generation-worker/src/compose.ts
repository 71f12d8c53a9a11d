import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { createSemaphore } from '@image-gateway/shared/concurrency';
import { getVersion } from '@image-gateway/shared/config';
import { LIMITS } from '@image-gateway/shared/contract';
import {
  type ClaimTerms,
  type Database,
  findCancelRequest,
  saveWorkerReport,
} from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createDecoder, createResizer, createValidator } from '@image-gateway/shared/images';
import { createConcurrencyLimiter, createRateLimiter } from '@image-gateway/shared/limits';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { formatDollars } from '@image-gateway/shared/money';
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
import { NEED_NAMES } from '@image-gateway/shared/task';
import { NO_TRACING, type Tracing } from '@image-gateway/shared/tracing';
import sharp from 'sharp';
import { adoptImages } from './attempt/adopt-images.js';
import { keepLease } from './attempt/keep-lease.js';
import { restoreHistory } from './attempt/restore-history.js';
import { shapeTask } from './attempt/shape-task.js';
import {
  type ReadStoredImage,
  readStoredImage,
  type SaveOutput,
  saveOutput,
} from './attempt/stored-image.js';
import { createCallAdmission } from './calls/create-call-admission.js';
import { createEndUserHash } from './calls/create-end-user-hash.js';
import { type InsertDeps, insertCall } from './calls/insert-call.js';
import { runCall } from './calls/run-call.js';
import { takeChecks } from './checks/take-checks.js';
import { createClaims, type EarlyClaim } from './claiming/create-claims.js';
import { createDueClaiming } from './claiming/create-due-claiming.js';
import { createWorkerPool } from './claiming/create-worker-pool.js';
import type { Settings } from './env.js';
import { createHostLimits, type HostBounds } from './inputs/create-host-limits.js';
import { type InputDeps, loadInput } from './inputs/load-input.js';
import { type LoadDeps, loadInputImages } from './inputs/load-input-images.js';
import { type GenerationSteps, processGeneration } from './process-generation.js';
import type { JobPace } from './providers/follow-job.js';
import { createResponseStore } from './responses/create-response-store.js';
import { createStoreGate } from './responses/create-store-gate.js';
import { createCatalogRouter, type ReportedProviders } from './routing/create-catalog-router.js';
import { createFieldChooser } from './routing/create-field-chooser.js';
import { createHealth } from './routing/create-health.js';
import type { Router } from './routing/create-router.js';
import { type ClaimStepDeps, claim } from './steps/claim.js';
import { type GenerateDeps, generate } from './steps/generate.js';
import { type InputsDeps, loadInputs } from './steps/load-inputs.js';
import {
  type AttemptSettleDeps,
  type FinishDeps,
  type FinishTask,
  finishTask,
  settle,
} from './steps/settle.js';
import { type StoreDeps, storeImage } from './steps/store.js';
import { type DetailDeps, deleteOldDetails } from './sweeps/delete-old-details.js';
import { type EndOverdueDeps, endOverdueTasks } from './sweeps/end-overdue-tasks.js';
import { eraseExpired, type RetentionDeps } from './sweeps/erase-expired.js';
import { reconcileCalls } from './sweeps/reconcile-calls.js';
import { removeInputs } from './sweeps/remove-inputs.js';
import { removeOrphans } from './sweeps/remove-orphans.js';
import { type RenewDeps, renewHints } from './sweeps/renew-hints.js';
import { CLAIM_DIRECTLY, startSweeps } from './sweeps/start-sweeps.js';

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
  const fields = createFieldChooser();
  const ceilingMicros = settings.MAX_UPSTREAM_COST_DAY ?? null;
  let providers: ReportedProviders = {};
  // One at a time: an older report must not replace a newer one.
  const { run: runSerially } = createSemaphore({ permits: 1 });
  const report = (): Promise<void> =>
    runSerially(async () => {
      const resumed = await saveWorkerReport(db, {
        id: terms.workerId,
        service: 'generation-worker',
        host: hostname(),
        pid: process.pid,
        report: {
          version: getVersion(),
          fields: NEED_NAMES,
          ...(ceilingMicros !== null && { maxCostDay: formatDollars(ceilingMicros) }),
          candidates: health.reports(),
          ...providers,
        },
      });
      health.resume(resumed);
    });
  // The offer of the API follows from it, and does not wait for the next sweep.
  const reportProviders = (found: ReportedProviders): void => {
    providers = found;
    fields.clear();
    report().catch((error: unknown) => logger.warn('the report of this worker was not saved', { error }));
  };
  const claims = createClaims({
    db,
    terms,
    metrics,
    now,
    slots: settings.GENERATION_CONCURRENCY,
    expiredEveryMs: Math.min(sweepMs, EXPIRED_EVERY_MS),
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
  const tracing = parts.tracing ?? NO_TRACING;
  const router = parts.router ?? createCatalogRouter(parts, ending.signal, reportProviders);
  const validate = createValidator({ decode });
  const responses = createResponseStore({
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
  });
  const storeGate = createStoreGate({
    probe: () => probeStore(store, terms.workerId),
    logger,
    signal: ending.signal,
  });

  const leaseDeps = { db, now, leaseMs: settings.LEASE_MS, heartbeatMs: settings.HEARTBEAT_MS };
  const claimDeps: ClaimStepDeps = {
    logger,
    now,
    stop: pool.stop,
    keepLease: (lease) => keepLease(leaseDeps, lease),
  };
  const inputDeps: InputDeps = {
    db,
    store,
    outbound: createOutbound({ allow: new Set(settings.OUTBOUND_ALLOW), contact: settings.contact }),
    hostLimits,
    validate,
    resize: createResizer({ decode }),
    fileUrl: settings.fileUrl,
  };
  const loadDeps: LoadDeps = {
    loadInput: (entry) => loadInput(inputDeps, entry),
    loadingBytes: createSemaphore({ permits: LOADING_INPUT_BYTES, leavesRoom: 1 }),
  };
  const inputsDeps: InputsDeps = {
    loadImages: (task) => loadInputImages(loadDeps, task),
    heldInputBytes: createSemaphore({ permits: HELD_INPUT_BYTES, leavesRoom: 1 }),
    startLoading: claims.startLoading,
  };
  const readStored: ReadStoredImage = (key) => readStoredImage({ store, validate }, key);
  const saveRow: SaveOutput = (attempt, image) => saveOutput(db, attempt, image);
  const hashEndUser = createEndUserHash(db);
  const insertDeps: InsertDeps = {
    db,
    newId,
    ceilingMicros,
    holdBack: health.holdBack,
  };
  const generateDeps: GenerateDeps = {
    router,
    health,
    shapeTask: (attempt, loadInputs) => shapeTask({ db }, attempt, loadInputs),
    fields,
    restoreHistory: (attempt) => restoreHistory({ db, router }, attempt),
    adoptImages: (attempt) =>
      adoptImages({ store, readStoredImage: readStored, saveOutput: saveRow }, attempt),
    admission: createCallAdmission({ health, responses, storeGate, metrics }),
    insertCall: (attempt, planned) => insertCall(insertDeps, attempt, planned),
    runCall: (attempt, call, sink) =>
      runCall({ db, validate, hashEndUser, metrics, tracing, fields }, attempt, call, sink),
    isCancelRequested: ({ task }) => findCancelRequest(db, { taskId: task.id, attempt: task.attempt }),
    metrics,
    ambiguousRetries: settings.AMBIGUOUS_RETRIES,
    maxUpstreamCostMicros: settings.MAX_UPSTREAM_COST ?? null,
  };
  const storeDeps: StoreDeps = {
    db,
    store,
    readStoredImage: readStored,
    saveOutput: saveRow,
    leaseMs: settings.LEASE_MS,
    metrics,
    storeGate,
  };
  const finishDeps: FinishDeps = {
    db,
    newId,
    fileUrl: settings.fileUrl,
    producer,
    metrics,
    publishEnd: createTaskEndPublisher(redis, prefix),
  };
  const finish: FinishTask = (task) => finishTask(finishDeps, task);
  const settleDeps: AttemptSettleDeps = {
    db,
    producer,
    metrics,
    finishTask: finish,
    maxTries: settings.TASK_MAX_ATTEMPTS,
    retryBackoff: settings.RETRY_BACKOFF,
    random: Math.random,
  };
  const steps: GenerationSteps = {
    claim: (claimTask) => claim(claimDeps, claimTask),
    loadInputs: (attempt) => loadInputs(inputsDeps, attempt),
    generate: (attempt, images) => generate(generateDeps, attempt, images),
    store: (attempt, ...stored) => storeImage(storeDeps, attempt, ...stored),
    settle: (attempt, end) => settle(settleDeps, attempt, end),
    awaitPermit: ({ task }, candidates) =>
      health.permits.wait(candidates, task, (afterAttempt) => runHinted(task.id, { afterAttempt })),
    tracing,
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
  const { signal } = ending;
  const claimDue = createDueClaiming({
    claims,
    pool,
    process: (claimed) => processGeneration(steps, async () => claimed),
    queueIsReady,
    sweepMs,
    signal,
  });
  const overdueDeps: EndOverdueDeps = {
    db,
    finishTask: finish,
    maxTries: settings.TASK_MAX_ATTEMPTS,
    metrics,
    logger,
  };
  const renewDeps: RenewDeps = { db, producer, metrics, overdueMs: sweepMs, sweepMs, queueIsReady };
  const retentionDeps: RetentionDeps = {
    db,
    metrics,
    signal,
    retentionDays: settings.RETENTION_DAYS ?? null,
    retentionSweepMs: settings.RETENTION_SWEEP_MS,
  };
  const detailDeps: DetailDeps = {
    db,
    metrics,
    signal,
    detailRetentionDays: settings.DETAIL_RETENTION_DAYS,
  };
  const checks = takeChecks({ db, settings, logger, validate, signal });
  const sweeps = startSweeps({
    sweeps: {
      [CLAIM_DIRECTLY]: () => claimDue().then(() => false),
      'end-overdue-tasks': (noteProgress) => endOverdueTasks(overdueDeps, noteProgress),
      'renew-hints': () => renewHints(renewDeps),
      'remove-orphans': (noteProgress) => removeOrphans({ db, store, metrics, logger }, noteProgress),
      'remove-inputs': (noteProgress) => removeInputs({ db, store, metrics }, noteProgress),
      'reconcile-calls': (noteProgress) =>
        reconcileCalls({ db, router, metrics, logger, sweepMs }, noteProgress),
      'erase-expired-tasks': (noteProgress) => eraseExpired(retentionDeps, noteProgress),
      'delete-old-details': (noteProgress) => deleteOldDetails(detailDeps, noteProgress),
      report: () => report().then(() => false),
    },
    sweepMs,
    logger,
    now,
    random: Math.random,
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
    finishWork: pool.close,
    disconnect: async (leftMs) => {
      await Promise.allSettled([consumer.close(leftMs), producer.close(), sweeps.ended, checks]);
      redis.disconnect();
    },
  };
}

/** Puts an object of its own into the store and removes it. Throws StorageError. */
async function probeStore(store: ObjectStore, workerId: string): Promise<void> {
  const key = `doctor/${workerId}`;
  await store.replace(key, Buffer.alloc(PROBE_BYTES), { contentType: 'application/octet-stream' });
  await store.remove([key]);
}
