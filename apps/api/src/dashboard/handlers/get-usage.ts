import type { UsageView } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { Handler } from '../../http/call.js';
import type { OwnerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { findUsageDays } from '../queries/find-usage-days.js';
import { readUsageSpan } from '../read-usage-span.js';

/** `GET /dashboard/api/usage`: usage by day and model, and what it comes to. */
export function getUsage({ db }: { readonly db: Pick<Database, 'run'> }): Handler<OwnerCall> {
  return async (call) => {
    const span = readUsageSpan(call);
    const { days, refundedMicros } = await findUsageDays(db, call.accountId, span);
    const view: UsageView = {
      from: span.from,
      to: span.to,
      days: days.map(({ day, model, units, requests, costMicros }) => ({
        day,
        model,
        units: Number(units),
        requests: Number(requests),
        cost: formatDollars(costMicros),
      })),
      units: Number(days.reduce((sum, { units }) => sum + units, 0n)),
      requests: Number(days.reduce((sum, { requests }) => sum + requests, 0n)),
      charged: formatDollars(days.reduce((sum, { costMicros }) => sum + costMicros, 0n)),
      refunded: formatDollars(refundedMicros),
    };
    return dataReply(view);
  };
}
