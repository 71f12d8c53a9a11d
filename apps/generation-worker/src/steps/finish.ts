import { type SettleDeps, type Settlement, settleTask } from '@image-gateway/shared/billing';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Producer } from '@image-gateway/shared/queues';

/** What ending a task needs. */
export interface FinishDeps extends SettleDeps {
  readonly producer: Pick<Producer, 'add'>;
  readonly metrics: Pick<Metrics, 'tasksFinished' | 'taskSeconds' | 'revenueMicros'>;
}

/** A task that ends: by which attempt, and why if nothing is stored. */
export interface Finish {
  readonly task: { readonly id: string; readonly attempt: number; readonly requestId: string };
  readonly reason: string;
  /** Whether each object that the attempt put has its row. */
  readonly isClean?: boolean;
  readonly log: Logger;
}

/** Settles a task and hints at its webhook. An attempt that was overtaken changes nothing, which is no fault. */
export async function finishTask(
  deps: FinishDeps,
  { task, reason, isClean = false, log }: Finish,
): Promise<Settlement> {
  const settlement = await settleTask(deps, { taskId: task.id, attempt: task.attempt, reason, isClean });
  if (!settlement.settled) {
    log.debug('the task was ended by somebody else');
    return settlement;
  }
  log.info('task ended', { status: settlement.status, ...(settlement.status === 'failed' && { reason }) });
  deps.metrics.tasksFinished.inc({ status: settlement.status });
  deps.metrics.revenueMicros.inc(Number(settlement.costMicros));
  if (settlement.deliveryId !== null) {
    const hint = { deliveryId: settlement.deliveryId, attempt: 0, traceId: task.requestId };
    await deps.producer.add('webhook', [hint]);
  }
  return settlement;
}
