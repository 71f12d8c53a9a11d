import { type LastCall, type SettleDeps, type Settlement, settleTask } from '@image-gateway/shared/billing';
import type { Reason } from '@image-gateway/shared/contract';
import { addOutput, type Database, finishCall, releaseTask } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Producer } from '@image-gateway/shared/queues';
import type { Attempt, AttemptEnd } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';

/** Dependencies of ending a task. */
export interface FinishDeps extends SettleDeps {
  readonly producer: Pick<Producer, 'add'>;
  readonly metrics: Pick<Metrics, 'tasksFinished' | 'revenue'>;
  /** Tells requests that wait for the task; neither delays nor fails anything. */
  readonly publishEnd: (taskId: string) => void;
}

/** Ends a task; see `finishTask`. */
export type FinishTask = (finish: Finish) => Promise<Settlement>;

/** Dependencies of settling an attempt. */
export interface AttemptSettleDeps {
  readonly db: Pick<Database, 'run'>;
  readonly producer: Pick<Producer, 'add'>;
  readonly metrics: Pick<Metrics, 'attempts' | 'taskSeconds'>;
  readonly finishTask: FinishTask;
  readonly maxTries: number;
  /** Seconds between tries. */
  readonly retryBackoff: readonly number[];
  /** 0 to 1. */
  readonly random: () => number;
}

/** Task to end: by which attempt, and why if nothing is stored. */
export interface Finish {
  readonly task: { readonly id: string; readonly attempt: number; readonly requestId: string };
  readonly reason: Reason;
  /** True when each object that the attempt put has its row. */
  readonly isClean?: boolean;
  /** Last image and the outcome of its call, unless they are saved. */
  readonly last?: LastCall | null;
  readonly log: Logger;
}

// An earlier hint would find nothing due.
const HINT_SLACK_MS = 50;
// The task had its turn and does not wait for another one.
const FIRST_TURN = 1;
const BACKOFF_SPREAD = 0.2;

/** Settles an attempt: its task ends, or returns to the queue with or without a used try. Retries until the database answers. */
export async function settle(deps: AttemptSettleDeps, attempt: Attempt, end: AttemptEnd): Promise<void> {
  const { task } = attempt;
  deps.metrics.attempts.inc({ outcome: end.kind === 'release' ? end.why : end.kind });
  switch (end.kind) {
    case 'settle':
      return finishAttempt(deps, attempt, end.reason);
    case 'retry': {
      if (task.tries + 1 >= deps.maxTries) {
        return finishAttempt(deps, attempt, end.reason);
      }
      const delayMs = getBackoffMs(deps.retryBackoff, task.tries, deps.random);
      return release(deps, attempt, { delayMs, usesTry: true, why: 'retry' });
    }
    case 'release':
      return release(deps, attempt, { delayMs: end.delayMs, usesTry: false, why: end.why });
    case 'leave':
      attempt.log.info('the task belongs to another attempt now');
      return saveUnsaved(deps.db, attempt);
  }
}

async function finishAttempt(deps: AttemptSettleDeps, attempt: Attempt, reason: Reason): Promise<void> {
  const { task, log, isCleanOnceSettled: isClean, unsaved: last } = attempt;
  const finish = () => deps.finishTask({ task, reason, isClean, last, log });
  const settlement = await persist(finish, { log });
  if (!settlement.settled) {
    return saveUnsaved(deps.db, attempt);
  }
  const seconds = (Date.now() - task.createdAt.getTime()) / 1_000;
  deps.metrics.taskSeconds.observe({ status: settlement.status }, Math.max(0, seconds));
}

/** Ends a task in one statement and hints at its webhook. Changes nothing for an attempt that was overtaken, which is no error. */
export async function finishTask(
  deps: FinishDeps,
  { task, reason, isClean: isCleanAttempt = false, last = null, log }: Finish,
): Promise<Settlement> {
  const { id: taskId, attempt } = task;
  const settlement = await settleTask(deps, { taskId, attempt, reason, isClean: isCleanAttempt, last });
  if (!settlement.settled) {
    log.debug('the task had already ended');
    return settlement;
  }
  deps.publishEnd(taskId);
  log.info('task ended', {
    status: settlement.status,
    ...(settlement.status === 'failed' && { reason: reason.text }),
  });
  deps.metrics.tasksFinished.inc({ status: settlement.status });
  deps.metrics.revenue.addMicros(settlement.costMicros);
  if (settlement.deliveryId !== null) {
    const hint = { deliveryId: settlement.deliveryId, attempt: 0, traceId: task.requestId };
    await deps.producer.add('webhook', [hint]);
  }
  return settlement;
}

/** Saves what the settlement would have saved. The image stays without a row when the task belongs to another attempt. */
async function saveUnsaved(db: AttemptSettleDeps['db'], attempt: Attempt): Promise<void> {
  const { unsaved, task, log } = attempt;
  if (unsaved === null) {
    return;
  }
  const { output, outcome } = unsaved;
  // The image first: a cancellation may end the task as soon as no call is open.
  if (await persist(() => addOutput(db, { taskId: task.id, attempt: task.attempt }, output), { log })) {
    attempt.recordSaved();
  }
  if (outcome !== null) {
    await persist(() => finishCall(db, outcome), { log });
  }
}

/** Returns the task to the queue, due after `delayMs`, and adds a hint. */
async function release(
  { db, producer }: Pick<AttemptSettleDeps, 'db' | 'producer'>,
  attempt: Attempt,
  { delayMs, usesTry, why }: { readonly delayMs: number; readonly usesTry: boolean; readonly why: string },
): Promise<void> {
  await saveUnsaved(db, attempt);
  const { task, log } = attempt;
  const terms = { taskId: task.id, attempt: task.attempt, delayMs, usesTry };
  if (!(await persist(() => releaseTask(db, { ...terms, isClean: attempt.isClean }), { log }))) {
    return;
  }
  log.info('released the task', { why, delayMs, usesTry });
  const hint = { taskId: task.id, attempt: task.attempt, traceId: task.requestId };
  const options = { delayMs: delayMs > 0 ? delayMs + HINT_SLACK_MS : 0, turns: [FIRST_TURN] };
  await producer.add('generation', [hint], options);
}

/** Returns the wait after the `tries`-th failed try (from 0) in milliseconds: the schedule's seconds ±20 %, the last one repeated. */
export function getBackoffMs(schedule: readonly number[], tries: number, random: () => number): number {
  const seconds = schedule[Math.min(tries, schedule.length - 1)] ?? 0;
  return Math.round(seconds * 1_000 * (1 - BACKOFF_SPREAD + 2 * BACKOFF_SPREAD * random()));
}
