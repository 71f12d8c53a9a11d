import { setMaxListeners } from 'node:events';
import { type Database, findDueByReceiver } from '@image-gateway/shared/db';
import { repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { createMailer, getSender } from '@image-gateway/shared/mail';
import type { Metrics } from '@image-gateway/shared/metrics';
import { createOutbound, type Outbound } from '@image-gateway/shared/outbound';
import { createConsumer, createConsumptionProbe } from '@image-gateway/shared/queues';
import { NO_TRACING, type Tracing } from '@image-gateway/shared/tracing';
import { createOutbox } from './create-outbox.js';
import { createDispatchProbe } from './dispatch/create-dispatch-probe.js';
import { createDispatcher } from './dispatch/create-dispatcher.js';
import { createDueFinder } from './dispatch/create-due-finder.js';
import { createSlots } from './dispatch/create-slots.js';
import type { Settings } from './env.js';
import { processDelivery } from './process-delivery.js';

/** Parts of a webhook worker; optional ones have production defaults. */
export interface WorkerParts {
  readonly settings: Settings;
  readonly db: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
  /** Time in milliseconds for which hints must wait until the queue counts as not consumed. */
  readonly queueStuckAfterMs: number;
  readonly outbound?: Outbound;
  readonly random?: () => number;
  readonly searchEveryMs?: number;
}

/** Running webhook worker. */
export interface WebhookWorker {
  /** Returns what is wrong at this moment, or null. */
  readonly probe: () => Promise<string | null>;
  /** Takes no new work. */
  readonly stopIntake: (leftMs: number) => Promise<void>;
  /** Lets posts under way end; interrupts the rest shortly before the time is up and makes them due again. */
  readonly finishWork: (leftMs: number) => Promise<void>;
}

const SEARCH_EVERY_MS = 1_000;
const DELETE_EVERY_MS = 60_000;
/** Maximum of posts at a time of one account to one `host:port`. */
const PER_RECEIVER = 5;
/** An account may hold half of them. */
const PER_HOST = 2 * PER_RECEIVER;
/** Time in the lease for writing the outcome when the database is slow. */
const LEASE_MARGIN_MS = 5_000;

/** Wires a webhook worker and starts it: hints from the queue, and a search in the database every second. */
export function composeWorker({ settings, db, logger, metrics, ...parts }: WorkerParts): WebhookWorker {
  const leaseMs = settings.WEBHOOK_TIMEOUT_MS + LEASE_MARGIN_MS;
  const contact = settings.OUTBOUND_CONTACT ?? settings.BASE_URL;
  const outbound = parts.outbound ?? createOutbound({ allow: new Set(settings.OUTBOUND_ALLOW), contact });
  const outbox = createOutbox({ db, leaseMs });
  const slots = createSlots({
    total: settings.WEBHOOK_CONCURRENCY,
    perHost: PER_HOST,
    perReceiver: PER_RECEIVER,
  });
  const cut = new AbortController();
  // Every post under way listens for it.
  setMaxListeners(0, cut.signal);
  const ending = new AbortController();
  const { SMTP_URL: url } = settings;
  const mailer = url === undefined ? null : createMailer({ url, from: getSender(settings) });
  const deliveryDeps = {
    outbox,
    mailer,
    tracing: parts.tracing ?? NO_TRACING,
    logger,
    metrics,
    outbound,
    leaseMs,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
    schedule: settings.WEBHOOK_RETRY_SCHEDULE,
    random: parts.random ?? Math.random,
    now: Date.now,
  };
  const onError = (error: unknown): void => {
    logger.warn('due webhooks could not be read', { error });
  };
  const findDue = createDueFinder({ db, slots, perReceiver: PER_RECEIVER });
  const dispatcher = createDispatcher({
    slots,
    onError,
    perReceiver: PER_RECEIVER,
    claim: outbox.claim,
    findDueById: outbox.findDueById,
    findDueByReceiver: (receivers) => findDueByReceiver(db, receivers, PER_RECEIVER),
    search: async () => [
      ...(await findDue()),
      ...(await outbox.findDueTests(slots.fullAccounts())),
      ...(await outbox.findDueEvents()),
    ],
    deliver: async (delivery, waitedFor) => {
      metrics.running.inc();
      const posted = await processDelivery(deliveryDeps, { ...delivery, waitedFor }, cut.signal);
      metrics.running.dec();
      return posted;
    },
  });
  const consumer = createConsumer({
    queue: 'webhook',
    redisUrl: settings.REDIS_URL,
    prefix: settings.REDIS_PREFIX,
    concurrency: settings.WEBHOOK_CONCURRENCY,
    logger,
    // A hint only names a row: the row decides, and the post does not hold the job.
    handlers: {
      webhook: async ({ deliveryId }) => dispatcher.hint(deliveryId),
      'webhook-test': async ({ testId }) => dispatcher.hint(testId),
    },
  });
  const isQueueStuck = createConsumptionProbe({ consumer, stuckAfterMs: parts.queueStuckAfterMs });
  const search = async (): Promise<void> => {
    for (const { id: deliveryId, ...released } of await outbox.releaseExpired()) {
      metrics.sweeps.inc({ what: 'expired_webhook_leases' });
      logger.warn('the sender of a webhook disappeared, it is due again', { deliveryId, ...released });
    }
    dispatcher.searchAll();
  };
  const { signal } = ending;
  void repeat(search, { everyMs: parts.searchEveryMs ?? SEARCH_EVERY_MS, signal, onError });
  void repeat(
    async () => {
      const deleted = await outbox.deleteOldTests();
      if (deleted > 0) {
        metrics.sweeps.inc({ what: 'old_webhook_tests' }, deleted);
      }
    },
    { everyMs: DELETE_EVERY_MS, signal, onError },
  );

  return {
    probe: createDispatchProbe({ db, slots, progress: dispatcher.progress, isQueueStuck }),
    stopIntake: async (leftMs) => {
      ending.abort();
      await consumer.close(leftMs / 2);
    },
    finishWork: async (leftMs) => {
      const timer = setTimeout(() => cut.abort(), leftMs - Math.min(1_000, leftMs / 4));
      await dispatcher.drain();
      clearTimeout(timer);
      await mailer?.close();
    },
  };
}
