import type { Reads } from '@image-gateway/shared/db';
import { findOverview } from '../../operations/account/find-overview.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/overview`: an account at a glance. */
export function getOverview({
  reads,
  fileUrl,
}: {
  readonly reads: Pick<Reads, 'ofAccount'>;
  readonly fileUrl: string;
}): OwnerHandler<'get /overview'> {
  return async ({ accountId }) =>
    dataReply(await findOverview({ db: reads.ofAccount(accountId), fileUrl }, accountId));
}
