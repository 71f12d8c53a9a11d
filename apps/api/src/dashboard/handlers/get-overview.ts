import type { OverviewView } from '@image-gateway/shared/contract';
import { type Database, listTasks } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { Handler } from '../../http/call.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { presentTaskItem } from '../present-task-item.js';
import { findOverview } from '../queries/find-overview.js';

const LAST_TASKS = 6;

/** `GET /dashboard/api/overview`: an account at a glance. */
export function getOverview(deps: {
  readonly db: Pick<Database, 'run'>;
  readonly fileUrl: string;
}): Handler<OwnerCall> {
  return async ({ accountId }) => {
    const [{ overview, days }, tasks] = await Promise.all([
      findOverview(deps.db, accountId),
      listTasks(deps.db, accountId, {}, { limit: LAST_TASKS, offset: 0n }),
    ]);
    const { balanceMicros, heldMicros } = overview;
    const view: OverviewView = {
      balance: formatDollars(balanceMicros),
      held: formatDollars(heldMicros),
      available: formatDollars(balanceMicros - heldMicros),
      open_tasks: overview.openCount,
      active_keys: overview.activeKeys,
      days: days.map(({ day, costMicros, units }) => ({
        day,
        cost: formatDollars(costMicros),
        units: Number(units),
      })),
      spent: formatDollars(days.reduce((sum, { costMicros }) => sum + costMicros, 0n)),
      completed: overview.completed,
      failed: overview.failed,
      last_tasks: tasks.rows.map((row) => presentTaskItem(row, deps.fileUrl)),
    };
    return dataReply(view);
  };
}
