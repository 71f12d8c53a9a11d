import type { Reads } from '@image-gateway/shared/db';
import { findUsage } from '../../operations/usage/find-usage.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';
import { readUsageQuery } from './read-usage-query.js';

/** `GET /dashboard/api/usage`: usage by day and model and by groups, and what it comes to. */
export function getUsage({
  reads,
}: {
  readonly reads: Pick<Reads, 'ofAccount'>;
}): OwnerHandler<'get /usage'> {
  return async (call) => {
    const db = reads.ofAccount(call.accountId);
    return dataReply(await findUsage(db, call.accountId, readUsageQuery(call)));
  };
}
