import { acceptGeneration, settleTask } from '@image-gateway/shared/billing';
import {
  claimDeliveries,
  claimExpiredTasks,
  claimFewInTurns,
  claimInTurns,
  claimTask,
  claimTasksOutOfTries,
  claimTasksPastDeadline,
  type Database,
  findDueOldest,
  finishDelivery,
  releaseExpiredDeliveries,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { createAcceptDeps } from '@image-gateway/testing';
import type { Steps } from './create-scheduler.js';
import { type WorkerDeps, workOnTask } from './work-on-task.js';

/** A customer of the simulation. */
export interface SimulatedAccount {
  readonly id: string;
  readonly apiKeyId: string;
}

/** Dependencies of the actors beside their steps. */
export type ActorDeps = Omit<WorkerDeps, keyof Steps> & { readonly deadlineMs: number };

const REQUEST = {
  model: 'nanobanana',
  prompt: 'a fox',
  aspect_ratio: '16:9',
  resolution: '1k',
} as const;

const terms = ({ leaseMs, maxTries }: ActorDeps) => ({ workerId: 'simulated', leaseMs, maxTries });

/** A client submits under an idempotency key; what it was told is remembered. Refusals are no errors. */
export const submits =
  (deps: ActorDeps, account: SimulatedAccount, key: string, outputs: 1 | 2 | 3 | 4, hook: boolean) =>
  async ({ db, step }: Steps): Promise<void> => {
    const request = { ...REQUEST, num_outputs: outputs };
    try {
      const { task } = await acceptGeneration(
        createAcceptDeps(db, { maxOpenTasks: 100, deadlineMs: deps.deadlineMs }),
        {
          accountId: account.id,
          apiKeyId: account.apiKeyId,
          requestId: key,
          idempotencyKey: key,
          request: hook ? { ...request, webhook_url: 'http://receiver.example/hook' } : request,
        },
      );
      await step(() => {
        const before = deps.world.told.get(key);
        if (before !== undefined && before !== task.id) {
          throw new Error(`${key} was told ${before} and ${task.id}`);
        }
        deps.world.told.set(key, task.id);
        deps.world.hints.push(task.id);
      });
    } catch (error) {
      if (!(error instanceof AppError && ['INSUFFICIENT_BALANCE', 'RATE_LIMITED'].includes(error.code))) {
        throw error;
      }
    }
  };

/** A worker takes a hint, or what is due or left over, and works on it. */
export const works =
  (deps: ActorDeps, taskId: string | null) =>
  async (steps: Steps): Promise<void> => {
    const { db } = steps;
    if (taskId !== null) {
      const task = await claimTask(db, terms(deps), taskId);
      if (task) {
        await workOnTask({ ...deps, ...steps }, task);
      }
      return;
    }
    const turns = { limit: 2, overdueMs: 0, after: '', blocked: [], perAccount: 2 };
    const left = [
      ...(await claimExpiredTasks(db, terms(deps), { limit: 2 })),
      ...((await claimFewInTurns(db, terms(deps), turns))?.tasks ?? []),
      ...(await claimInTurns(db, terms(deps), { ...turns, maxVisited: 10 })).tasks,
    ];
    for (const task of left) {
      await workOnTask({ ...deps, ...steps }, task);
    }
  };

/** The sweep ends what nobody will finish. */
export const sweeps =
  (deps: ActorDeps) =>
  async ({ db }: Steps): Promise<void> => {
    const over = [
      ...(await claimTasksPastDeadline(db, { limit: 10, leaseMs: deps.leaseMs })),
      ...(await claimTasksOutOfTries(db, { limit: 10, leaseMs: deps.leaseMs, maxTries: deps.maxTries })),
    ];
    for (const { id: taskId, attempt } of over) {
      await settleTask(
        { db, newId: deps.newId, fileUrl: 'http://files' },
        { taskId, attempt, reason: 'over' },
      );
    }
  };

/** An operator fails a task, whatever is stored. */
export const fails =
  (deps: ActorDeps, taskId: string, attempt: number) =>
  async ({ db }: Steps) => {
    const reason = 'an operator said so';
    await settleTask(
      { db, newId: deps.newId, fileUrl: 'http://files' },
      { taskId, attempt, reason, discardImages: true },
    );
  };

/** The webhook worker sends what is due. */
export const sends =
  (deps: ActorDeps) =>
  async ({ db, step }: Steps): Promise<void> => {
    const whole = db as Database;
    await releaseExpiredDeliveries(whole);
    const due = await findDueOldest(whole, 5);
    const claimed = await claimDeliveries(
      whole,
      due.map(({ id }) => id),
      deps.leaseMs,
    );
    for (const { id, attempt, taskId, body } of claimed) {
      await step(() => {
        const key = taskId ?? id;
        const before = deps.world.posts.get(key);
        if (before !== undefined && before !== body) {
          throw new Error(`two webhooks of ${taskId} say different things`);
        }
        deps.world.posts.set(key, body);
      });
      const failed = deps.random.chance(0.2);
      await finishDelivery(whole, {
        id,
        attempt,
        status: failed ? 500 : 200,
        error: failed ? 'answered 500' : null,
        end: failed ? { state: 'pending', delayMs: 300 } : { state: 'delivered' },
      });
    }
  };
