import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedDelivery } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Mailer } from '@image-gateway/shared/mail';
import type { Metrics } from '@image-gateway/shared/metrics';
import { parseTraceparent, type Tracing } from '@image-gateway/shared/tracing';
import type { Outbox } from './create-outbox.js';
import { type Decision, decideEnd } from './decide-end.js';
import type { Posted, WaitedFor } from './dispatch/create-dispatcher.js';
import { isMail, mailEvent } from './mail-event.js';
import { type PostDeps, type PostOutcome, postWebhook } from './post-webhook.js';

const RETRY_MS = 250;
const NAMES = { task: 'webhook', test: 'test event', endpoint: 'event' } as const;

/** Dependencies of sending a delivery. */
export interface DeliveryDeps extends PostDeps {
  readonly outbox: Pick<Outbox, 'finish'>;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
  readonly logger: Logger;
  readonly tracing: Pick<Tracing, 'start'>;
  readonly metrics: Pick<Metrics, 'webhookAttempts' | 'webhookDelaySeconds'>;
  /** Seconds before the second, third, … attempt. */
  readonly schedule: readonly number[];
  readonly random: () => number;
  /** Time for which the claim protects the attempt and the writing of its outcome. */
  readonly leaseMs: number;
}

/**
 * Sends a claimed delivery or test event once and begins to record the outcome. Never throws: a delivery without a recorded
 * outcome is sent again when its lease ends.
 */
export async function processDelivery(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery & { readonly waitedFor: WaitedFor },
  signal: AbortSignal,
): Promise<Posted> {
  const { metrics, now, leaseMs, schedule, random } = deps;
  const { id, taskId, requestId, attempt, hostPort, lateMs, waitedFor } = delivery;
  const traceId = parseTraceparent(delivery.traceparent)?.traceId;
  const names = {
    deliveryId: id,
    ...(taskId !== null && { taskId }),
    requestId,
    attempt,
    host: hostPort,
    ...(traceId && { trace_id: traceId }),
  };
  const logger = deps.logger.child(names);
  // A test event is sent once: its owner watches, and sends another one.
  const isTest = delivery.source === 'test';
  const startedAt = now();
  metrics.webhookDelaySeconds.observe({ waited_for: waitedFor }, Math.max(0, lateMs) / 1000);

  const span = deps.tracing.start('webhook', {
    parent: delivery.traceparent,
    kind: 'client',
    attributes: {
      'gateway.delivery': id,
      'gateway.attempt': attempt,
      'http.request.method': 'POST',
      'server.address': hostPort,
    },
  });
  const traced = { ...delivery, traceparent: span.traceparent };
  const outcome = await post({ ...deps, logger }, traced, signal);
  const ms = now() - startedAt;
  const record = async (): Promise<void> => {
    const decision = decideEnd(outcome, { ...delivery, schedule: isTest ? [] : schedule, random });
    const saved = await saveOutcome({ ...deps, logger }, delivery, { decision, until: startedAt + leaseMs });
    const result = saved ? describeResult(outcome, decision) : 'overtaken';
    metrics.webhookAttempts.inc({ outcome: result });
    const { end, status, error } = decision;
    span.end(
      result === 'delivered' ? undefined : result,
      status === null ? undefined : { 'http.response.status_code': status },
    );
    const nextInMs = end.state === 'pending' ? end.delayMs : undefined;
    const facts = { status, reason: error, ms, lateMs: Math.round(lateMs), nextInMs };
    logger.info(`${NAMES[delivery.source]} ${result}`, facts);
  };
  return {
    responded: outcome.kind === 'stopped' ? undefined : outcome.kind === 'response',
    recorded: record(),
  };
}

async function post(
  deps: DeliveryDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<PostOutcome> {
  try {
    return await (isMail(delivery) ? mailEvent(deps.mailer, delivery) : postWebhook(deps, delivery, signal));
  } catch (error) {
    deps.logger.error('a webhook could not be sent', { error });
    return { kind: 'no-response', error: 'internal error', final: false };
  }
}

/**
 * Records the outcome of an attempt, and retries while the database is unreachable, as long as the lease lasts. After a lost
 * outcome the receiver gets the same webhook twice. Returns false when it was not recorded.
 */
async function saveOutcome(
  { outbox, logger, now }: DeliveryDeps,
  delivery: ClaimedDelivery,
  { decision, until }: { readonly decision: Decision; readonly until: number },
): Promise<boolean> {
  for (;;) {
    try {
      return await outbox.finish(delivery, decision);
    } catch (error) {
      if (now() + RETRY_MS >= until) {
        logger.error('the outcome of a webhook was not saved, it will be sent again', { error });
        return false;
      }
      await sleep(RETRY_MS);
    }
  }
}

function describeResult(outcome: PostOutcome, { end }: Decision): string {
  if (outcome.kind === 'stopped') {
    return 'interrupted';
  }
  return end.state === 'pending' ? 'retry' : end.state;
}
