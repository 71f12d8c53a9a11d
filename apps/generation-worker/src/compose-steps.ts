import { createSemaphore } from '@image-gateway/shared/concurrency';
import { LIMITS } from '@image-gateway/shared/contract';
import { findCancelRequest } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { type createDecoder, createResizer, type createValidator } from '@image-gateway/shared/images';
import { createConcurrencyLimiter, createRateLimiter } from '@image-gateway/shared/limits';
import { createOutbound } from '@image-gateway/shared/outbound';
import { type createRedis, createTaskEndPublisher, type Producer } from '@image-gateway/shared/queues';
import { createSpool } from '@image-gateway/shared/spool';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { NO_TRACING } from '@image-gateway/shared/tracing';
import { keepLease } from './attempt/keep-lease.js';
import { type PrepareDeps, prepareAttempt } from './attempt/prepare-attempt.js';
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
import type { Claims } from './claiming/create-claims.js';
import type { WorkerPool } from './claiming/create-worker-pool.js';
import { createHostLimits } from './inputs/create-host-limits.js';
import { type InputDeps, loadInput } from './inputs/load-input.js';
import { type LoadDeps, loadInputImages } from './inputs/load-input-images.js';
import type { GenerationSteps } from './process-generation.js';
import { createResponseStore } from './responses/create-response-store.js';
import { createStoreGate } from './responses/create-store-gate.js';
import type { FieldChooser } from './routing/create-field-chooser.js';
import type { Health } from './routing/create-health.js';
import { createPlanner } from './routing/create-planner.js';
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
import type { WorkerParts } from './worker-parts.js';

// For downloads whose process died; others are released at their end.
const LEASE_SLACK_MS = 5_000;
// Ten images, from their first byte until they have been resized.
const LOADING_INPUT_BYTES = 10 * LIMITS.inputImageBytes;
// Until the end of the attempt. Half of it, the share of one account, is enough for nine images of any size.
const HELD_INPUT_BYTES = 192 * 1024 * 1024;
// Does not fit on a disk that is nearly full.
const PROBE_BYTES = 64 * 1024;

/** Parts of a worker that the steps of attempts share with the rest of it. */
export interface StepsContext {
  readonly parts: WorkerParts;
  readonly workerId: string;
  readonly now: () => number;
  readonly redis: ReturnType<typeof createRedis>;
  readonly producer: Producer;
  readonly pool: Pick<WorkerPool, 'stop'>;
  readonly claims: Pick<Claims, 'startLoading'>;
  readonly router: Router;
  readonly health: Health;
  readonly fields: FieldChooser;
  readonly validate: ReturnType<typeof createValidator>;
  readonly decode: ReturnType<typeof createDecoder>;
  /** Receives why the object store takes no images, and null once it does. */
  readonly reportStore: (fault: string | null) => void;
  /** Ends everything that waits for memory or the store. */
  readonly signal: AbortSignal;
}

/** The steps of an attempt, and the end of a task that has none. */
export interface WorkerSteps extends Omit<GenerationSteps, 'awaitPermit'> {
  readonly finishTask: FinishTask;
}

/** Makes the steps of attempts with what they need. */
export function composeSteps(context: StepsContext): WorkerSteps {
  const { parts, now, pool } = context;
  const { settings, db, store, logger, metrics } = parts;
  const storeGate = createStoreGate({
    probe: () => probeStore(store, context.workerId),
    logger,
    onChange: context.reportStore,
    signal: context.signal,
  });
  const readStored: ReadStoredImage = (key) => readStoredImage({ store, validate: context.validate }, key);
  const saveRow: SaveOutput = (attempt, image) => saveOutput(db, attempt, image);
  const leaseDeps = { db, now, leaseMs: settings.LEASE_MS, heartbeatMs: settings.HEARTBEAT_MS };
  const claimDeps: ClaimStepDeps = {
    logger,
    now,
    stop: pool.stop,
    keepLease: (lease) => keepLease(leaseDeps, lease),
  };
  const prepareDeps: PrepareDeps = {
    db,
    router: context.router,
    store,
    readStoredImage: readStored,
    saveOutput: saveRow,
  };
  const generateDeps: GenerateDeps = {
    prepare: (attempt, load) => prepareAttempt(prepareDeps, attempt, load),
    router: context.router,
    planner: createPlanner({
      health: context.health,
      fields: context.fields,
      ambiguousRetries: settings.AMBIGUOUS_RETRIES,
      maxUpstreamCostMicros: settings.MAX_UPSTREAM_COST ?? null,
    }),
    calls: composeCalls(context, storeGate),
    isCancelRequested: ({ task }) => findCancelRequest(db, { taskId: task.id, attempt: task.attempt }),
    metrics,
  };
  const inputsDeps = composeInputs(context);
  const storeDeps: StoreDeps = {
    db,
    store,
    readStoredImage: readStored,
    saveOutput: saveRow,
    leaseMs: settings.LEASE_MS,
    metrics,
    storeGate,
  };
  const settleDeps = composeSettling(context);
  return {
    claim: (claimTask) => claim(claimDeps, claimTask),
    loadInputs: (attempt) => loadInputs(inputsDeps, attempt),
    generate: (attempt, images) => generate(generateDeps, attempt, images),
    store: (attempt, ...stored) => storeImage(storeDeps, attempt, ...stored),
    settle: (attempt, end) => settle(settleDeps, attempt, end),
    finishTask: settleDeps.finishTask,
    tracing: parts.tracing ?? NO_TRACING,
  };
}

function composeInputs({ parts, redis, claims, validate, decode }: StepsContext): InputsDeps {
  const { settings, db, store, metrics } = parts;
  const { REDIS_PREFIX: prefix } = settings;
  const limits = { redis, onFallback: () => metrics.limiterFallbacks.inc() };
  const inputDeps: InputDeps = {
    db,
    store,
    outbound: createOutbound({ allow: new Set(settings.OUTBOUND_ALLOW), contact: settings.contact }),
    hostLimits: createHostLimits({
      concurrency: createConcurrencyLimiter({
        ...limits,
        prefix: `${prefix}:downloads`,
        leaseMs: LIMITS.inputImageTimeoutMs + LEASE_SLACK_MS,
      }),
      rate: createRateLimiter({ ...limits, prefix: `${prefix}:limit` }),
      ...(parts.hostBounds && { bounds: parts.hostBounds }),
    }),
    validate,
    resize: createResizer({ decode }),
    fileUrl: settings.fileUrl,
  };
  const loadDeps: LoadDeps = {
    loadInput: (entry) => loadInput(inputDeps, entry),
    loadingBytes: createSemaphore({ permits: LOADING_INPUT_BYTES, leavesRoom: 1 }),
  };
  return {
    loadImages: (task) => loadInputImages(loadDeps, task),
    heldInputBytes: createSemaphore({ permits: HELD_INPUT_BYTES, leavesRoom: 1 }),
    startLoading: claims.startLoading,
  };
}

function composeCalls(
  { parts, workerId, health, fields, validate }: StepsContext,
  storeGate: ReturnType<typeof createStoreGate>,
): GenerateDeps['calls'] {
  const { settings, db, logger, metrics, tracing = NO_TRACING } = parts;
  const responses = createResponseStore({
    logger,
    metrics,
    memoryBytes: settings.ANSWER_MEMORY,
    spoolBytes: settings.SPOOL_MAX,
    spool: createSpool({
      dir: settings.SPOOL_DIR,
      maxBytes: settings.SPOOL_MAX,
      id: workerId,
      onSize: (bytes) => metrics.spoolBytes.set(bytes),
    }),
  });
  const insertDeps: InsertDeps = {
    db,
    newId,
    ceilingMicros: settings.MAX_UPSTREAM_COST_DAY ?? null,
    holdBack: health.holdBack,
  };
  const runDeps = { db, validate, hashEndUser: createEndUserHash(db), metrics, tracing, fields };
  return {
    admission: createCallAdmission({ health, responses, storeGate, metrics }),
    insert: (attempt, planned) => insertCall(insertDeps, attempt, planned),
    run: (attempt, call, sink) => runCall(runDeps, attempt, call, sink),
  };
}

function composeSettling({ parts, redis, producer }: StepsContext): AttemptSettleDeps {
  const { settings, db, metrics } = parts;
  const finishDeps: FinishDeps = {
    db,
    newId,
    fileUrl: settings.fileUrl,
    producer,
    metrics,
    publishEnd: createTaskEndPublisher(redis, settings.REDIS_PREFIX),
  };
  return {
    db,
    producer,
    metrics,
    finishTask: (task) => finishTask(finishDeps, task),
    maxTries: settings.TASK_MAX_ATTEMPTS,
    retryBackoff: settings.RETRY_BACKOFF,
    random: Math.random,
  };
}

/** Puts an object of its own into the store and removes it. Throws StorageError. */
async function probeStore(store: ObjectStore, workerId: string): Promise<void> {
  const key = `doctor/${workerId}`;
  await store.replace(key, Buffer.alloc(PROBE_BYTES), { contentType: 'application/octet-stream' });
  await store.remove([key]);
}
