import type { Database } from '@image-gateway/shared/db';
import type { QueueInspector } from '@image-gateway/shared/queues';
import { findQueues } from '../../../operations/system/find-queues.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `GET /dashboard/api/operator/queues`: what waits and what runs by the database's word, and what Redis says of the hints. */
export function getQueues(deps: {
  readonly db: Pick<Database, 'run'>;
  readonly inspector: QueueInspector;
}): UserHandler<'get /operator/queues'> {
  return async () => dataReply(await findQueues(deps));
}
