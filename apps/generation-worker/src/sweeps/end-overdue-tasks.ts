import { REASONS } from '@image-gateway/shared/contract';
import { findTasksOutOfTries, findTasksPastDeadline, type TaskToEnd } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { type FinishDeps, finishTask } from '../steps/finish.js';
import { eachWhileItWorks } from './each-while-it-works.js';

/** What ending tasks that nobody finishes needs. */
export interface EndOverdueDeps extends FinishDeps {
  readonly maxTries: number;
  readonly metrics: FinishDeps['metrics'] & Pick<Metrics, 'sweeps'>;
  readonly logger: Logger;
}

const AT_A_TIME = 100;

/** Ends the tasks whose deadline has passed, running ones too, and those without a try left; each with the attempt that its row shows, so that whoever is faster wins. */
export async function endOverdueTasks(deps: EndOverdueDeps): Promise<void> {
  const { db, maxTries } = deps;
  await endAll(
    deps,
    'ended-at-deadline',
    REASONS.deadline,
    await findTasksPastDeadline(db, { limit: AT_A_TIME }),
  );
  const outOfTries = await findTasksOutOfTries(db, { limit: AT_A_TIME, maxTries });
  await endAll(deps, 'ended-out-of-tries', REASONS.internal, outOfTries);
}

async function endAll(
  deps: EndOverdueDeps,
  what: string,
  reason: string,
  tasks: readonly TaskToEnd[],
): Promise<void> {
  const logOf = ({ id: taskId, attempt, requestId }: TaskToEnd): Logger =>
    deps.logger.child({ taskId, attempt, requestId });
  const end = async (task: TaskToEnd): Promise<void> => {
    const { settled } = await finishTask(deps, { task, reason, log: logOf(task) });
    if (settled) deps.metrics.sweeps.inc({ what });
  };
  await eachWhileItWorks(tasks, end, (task, error) =>
    logOf(task).warn('could not end the task', { what, error }),
  );
}
