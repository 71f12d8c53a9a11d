import type { Reads } from '@image-gateway/shared/db';
import type { Handler } from '../../http/framework/call.js';
import { findOverview } from '../../operations/account/find-overview.js';
import { dataReply } from '../data-reply.js';
import type { OwnerCall } from '../route.js';

/** `GET /dashboard/api/overview`: an account at a glance. */
export function getOverview({
  reads,
  fileUrl,
}: {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly fileUrl: string;
}): Handler<OwnerCall> {
  return async ({ accountId }) =>
    dataReply(await findOverview({ db: reads.ofAccount(accountId), fileUrl }, accountId));
}
