import { REASONS, type Reason } from '@image-gateway/shared/contract';
import {
  claimTasksOutOfTries,
  claimTasksPastDeadline,
  type Database,
  findSetAsideTasks,
  isRowError,
  setTaskAside,
  type TaskToEnd,
} from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { FinishTask } from '../steps/settle.js';
import { sweepItems } from './sweep-items.js';

/** Dependencies of ending overdue tasks. */
export interface EndOverdueDeps {
  readonly db: Pick<Database, 'run'>;
  readonly finishTask: FinishTask;
  readonly maxTries: number;
  readonly metrics: Pick<Metrics, 'sweeps' | 'tasksSetAside'>;
  readonly logger: Logger;
}

// Settlements share their statements: a batch takes as long as a few of them, less than its lease.
const TERMS = { limit: 200, leaseMs: 15_000 };

/**
 * Ends a batch of tasks whose deadline has passed, running ones too, then of those without a try left. Each one ends with the
 * attempt that its row shows, so that the faster one wins. A task with an error of its own is set aside and holds up no other.
 */
export async function endOverdueTasks(deps: EndOverdueDeps, noteProgress: () => void): Promise<boolean> {
  const { db, maxTries, metrics } = deps;
  const late = await claimTasksPastDeadline(db, TERMS);
  if (
    await endAll(deps, { what: 'ended-at-deadline', reason: REASONS.deadline, tasks: late }, noteProgress)
  ) {
    return true;
  }
  const tired = await claimTasksOutOfTries(db, { ...TERMS, maxTries });
  const end = { what: 'ended-out-of-tries', reason: REASONS.internal, tasks: tired };
  const more = await endAll(deps, end, noteProgress);
  const [setAside] = await findSetAsideTasks(db, { limit: 1 });
  metrics.tasksSetAside.set(setAside?.total ?? 0);
  return more;
}

async function endAll(
  deps: EndOverdueDeps,
  end: { readonly what: string; readonly reason: Reason; readonly tasks: readonly TaskToEnd[] },
  noteProgress: () => void,
): Promise<boolean> {
  const { what, reason, tasks } = end;
  const createLog = ({ id: taskId, attempt, requestId }: TaskToEnd): Logger =>
    deps.logger.child({ taskId, attempt, requestId });
  const action = async (task: TaskToEnd): Promise<void> => {
    const log = createLog(task);
    try {
      const { settled } = await deps.finishTask({ task, reason, log });
      if (settled) {
        deps.metrics.sweeps.inc({ what });
      }
    } catch (error) {
      if (!isRowError(error)) {
        throw error;
      }
      log.warn('set aside a task that could not be ended', { what, error });
      await setTaskAside(deps.db, { taskId: task.id, error: String(error) });
      deps.metrics.sweeps.inc({ what: 'set-aside' });
    }
  };
  const onError = (task: TaskToEnd, error: unknown) =>
    createLog(task).warn('could not end the task', { what, error });
  return sweepItems(tasks, { action, onError, noteProgress });
}
