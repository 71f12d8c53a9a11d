import {
  type ClaimedDelivery,
  type Database,
  type DeliveryOutcome,
  finishDelivery,
} from '@image-gateway/shared/db';
import { pause } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { type Decision, decideEnd } from './decide-end.js';
import { type PostDeps, type PostOutcome, postWebhook } from './post-webhook.js';

const BETWEEN_TRIES_MS = 250;

/** What sending a delivery needs. */
export interface DeliveryDeps extends PostDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'webhookAttempts' | 'webhookDelaySeconds'>;
  /** Seconds before the second, third, … attempt. */
  readonly schedule: readonly number[];
  readonly random: () => number;
  /** How long the claim protects the attempt and the writing of its outcome. */
  readonly leaseMs: number;
}

/**
 * Sends a claimed delivery once and writes what came of it. Returns whether the receiver answered, undefined when we ended the
 * attempt ourselves. Never throws; what could not be written is sent again when the lease ends.
 */
export async function processDelivery(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { metrics, now, leaseMs, schedule, random } = deps;
  const { id, taskId, requestId, attempt, hostPort, lateMs } = delivery;
  const logger = deps.logger.child({ deliveryId: id, taskId, requestId, attempt, host: hostPort });
  const startedAt = now();
  metrics.webhookDelaySeconds.observe(Math.max(0, lateMs) / 1000);

  const outcome = await post({ ...deps, logger }, delivery, signal);
  const decision = decideEnd(outcome, { ...delivery, schedule, random });
  const saved = await saveOutcome(
    { ...deps, logger },
    { id, attempt, ...decision },
    { until: startedAt + leaseMs },
  );
  const result = saved ? resultOf(outcome, decision) : 'overtaken';
  metrics.webhookAttempts.inc({ outcome: result });
  const { end, status, error } = decision;
  const nextInMs = end.state === 'pending' ? end.delayMs : undefined;
  logger.info(`webhook ${result}`, {
    status,
    reason: error,
    ms: now() - startedAt,
    lateMs: Math.round(lateMs),
    nextInMs,
  });
  return outcome.kind === 'stopped' ? undefined : outcome.kind === 'answered';
}

async function post(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<PostOutcome> {
  try {
    return await postWebhook(deps, delivery, signal);
  } catch (error) {
    deps.logger.error('a webhook could not be sent', { error });
    return { kind: 'unanswered', error: 'internal error', final: false };
  }
}

/**
 * Writes the outcome of an attempt and keeps trying while the database is away, as long as the lease lasts: an outcome
 * that is lost means that the receiver gets the same webhook twice. False when it was not written.
 */
async function saveOutcome(
  { db, logger, now }: DeliveryDeps,
  outcome: DeliveryOutcome,
  { until }: { readonly until: number },
): Promise<boolean> {
  for (;;) {
    try {
      return await finishDelivery(db, outcome);
    } catch (error) {
      if (now() + BETWEEN_TRIES_MS >= until) {
        logger.error('the outcome of a webhook was not saved, it will be sent again', { error });
        return false;
      }
      await pause(BETWEEN_TRIES_MS);
    }
  }
}

function resultOf(outcome: PostOutcome, { end }: Decision): string {
  if (outcome.kind === 'stopped') return 'interrupted';
  return end.state === 'pending' ? 'retry' : end.state;
}
