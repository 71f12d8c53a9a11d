import { setMaxListeners } from 'node:events';
import { claimDeliveries, type Database, findDueById, findDueByReceiver } from '@image-gateway/shared/db';
import { repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { createOutbound, type Outbound } from '@image-gateway/shared/net';
import { createConsumer, createConsumptionProbe } from '@image-gateway/shared/queues';
import { createDispatcher } from './dispatch/create-dispatcher.js';
import { createLook } from './dispatch/create-look.js';
import { createPlaces } from './dispatch/create-places.js';
import type { Settings } from './env.js';
import { processDelivery } from './process-delivery.js';
import { createDispatchProbe } from './sweeps/probe-dispatch.js';
import { releaseExpired } from './sweeps/release-expired.js';

/** What a webhook worker is made of; what is optional has its real thing as the default. */
export interface WorkerParts {
  readonly settings: Settings;
  readonly db: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long hints must wait untaken until the queue counts as not consumed. */
  readonly queueStuckAfterMs: number;
  readonly outbound?: Outbound;
  readonly random?: () => number;
  readonly lookEveryMs?: number;
}

/** A running webhook worker. */
export interface WebhookWorker {
  /** What is wrong at this moment, or null. */
  readonly probe: () => Promise<string | null>;
  /** Takes no new work. */
  readonly stopIntake: (leftMs: number) => Promise<void>;
  /** Lets posts under way end, cuts what is left shortly before the time is up and makes it due again. */
  readonly finishWork: (leftMs: number) => Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
/** Most posts at a time of one account to one `host:port`; the one more is for other accounts with a receiver there. */
const PER_RECEIVER = 5;
const PER_HOST = PER_RECEIVER + 1;
/** Room in the lease for writing the outcome when the database is slow. */
const LEASE_MARGIN_MS = 5_000;

/** Wires a webhook worker and starts it: hints from the queue, and a look into the database every second. */
export function composeWorker({ settings, db, logger, metrics, ...parts }: WorkerParts): WebhookWorker {
  const leaseMs = settings.WEBHOOK_TIMEOUT_MS + LEASE_MARGIN_MS;
  const outbound = parts.outbound ?? createOutbound({ allow: new Set(settings.OUTBOUND_ALLOW) });
  const places = createPlaces({
    total: settings.WEBHOOK_CONCURRENCY,
    perHost: PER_HOST,
    perReceiver: PER_RECEIVER,
  });
  const cut = new AbortController();
  // Every post under way listens for it.
  setMaxListeners(0, cut.signal);
  const ending = new AbortController();
  const deliveryDeps = {
    ...{ db, logger, metrics, outbound, leaseMs },
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
    schedule: settings.WEBHOOK_RETRY_SCHEDULE,
    random: parts.random ?? Math.random,
    now: Date.now,
  };
  const onError = (error: unknown): void => {
    logger.warn('could not look for due webhooks', { error });
  };
  const lookForDue = createLook({ db, places, perReceiver: PER_RECEIVER });
  const dispatcher = createDispatcher({
    places,
    onError,
    perReceiver: PER_RECEIVER,
    claim: (ids) => claimDeliveries(db, ids, leaseMs),
    findDueById: (ids) => findDueById(db, ids),
    findDueByReceiver: (receivers) => findDueByReceiver(db, receivers, PER_RECEIVER),
    look: async () => {
      const due = await lookForDue();
      metrics.oldestDueSeconds.set(due.reduce((oldest, { lateMs }) => Math.max(oldest, lateMs), 0) / 1000);
      return due;
    },
    deliver: async (delivery) => {
      metrics.running.inc();
      const answered = await processDelivery(deliveryDeps, delivery, cut.signal);
      metrics.running.dec();
      return answered;
    },
  });
  const consumer = createConsumer({
    queue: 'webhook',
    redisUrl: settings.REDIS_URL,
    prefix: settings.REDIS_PREFIX,
    concurrency: settings.WEBHOOK_CONCURRENCY,
    logger,
    // A hint only says where to look: the row decides, and the post does not hold the job.
    handlers: { webhook: async ({ deliveryId }) => dispatcher.hint(deliveryId) },
  });
  const isQueueStuck = createConsumptionProbe({ consumer, stuckAfterMs: parts.queueStuckAfterMs });
  const look = async (): Promise<void> => {
    await releaseExpired({ db, logger, metrics });
    dispatcher.lookForAll();
  };
  void repeat(look, { everyMs: parts.lookEveryMs ?? LOOK_EVERY_MS, signal: ending.signal, onError });

  return {
    probe: createDispatchProbe({ db, places, progress: dispatcher.progress, isQueueStuck }),
    stopIntake: async (leftMs) => {
      ending.abort();
      await consumer.close(leftMs / 2);
    },
    finishWork: async (leftMs) => {
      const timer = setTimeout(() => cut.abort(), leftMs - Math.min(1_000, leftMs / 4));
      await dispatcher.drain();
      clearTimeout(timer);
    },
  };
}
