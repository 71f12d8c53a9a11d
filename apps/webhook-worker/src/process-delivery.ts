import type { ClaimedDelivery, Database } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { type Decision, decideEnd } from './decide-end.js';
import { type PostDeps, type PostOutcome, postWebhook } from './post-webhook.js';
import { saveOutcome } from './save-outcome.js';

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

/** Sends a claimed delivery once and writes what came of it. Never throws; what could not be written is sent again when the lease ends. */
export async function processDelivery(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { metrics, now, leaseMs, schedule, random } = deps;
  const { id, taskId, requestId, attempt, hostPort, lateMs } = delivery;
  const logger = deps.logger.child({ deliveryId: id, taskId, requestId, attempt, host: hostPort });
  const startedAt = now();
  metrics.webhookDelaySeconds.observe(Math.max(0, lateMs) / 1000);

  const outcome = await post({ ...deps, logger }, delivery, signal);
  const decision = decideEnd(outcome, { attempt, schedule, random });
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

function resultOf(outcome: PostOutcome, { end }: Decision): string {
  if (outcome.kind === 'stopped') return 'interrupted';
  return end.state === 'pending' ? 'retry' : end.state;
}
