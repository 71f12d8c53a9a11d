import type { SystemView } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { findSystem } from './queries/find-system.js';

/** `GET /dashboard/api/operator/system`: the whole gateway at a glance. */
export function getSystem({ db }: { readonly db: Pick<Database, 'run'> }): Handler<ViewerCall> {
  return async () => {
    const system = await findSystem(db);
    const view: SystemView = {
      accounts: system.accounts,
      suspended: system.suspended,
      open_tasks: system.openTasks,
      stuck_tasks: system.stuckTasks,
      completed_today: system.completedToday,
      failed_today: system.failedToday,
      revenue_today: formatDollars(system.revenueMicros),
      balances: formatDollars(system.balanceMicros),
      held: formatDollars(system.heldMicros),
      webhooks_failed_today: system.webhooksFailedToday,
    };
    return dataReply(view);
  };
}
