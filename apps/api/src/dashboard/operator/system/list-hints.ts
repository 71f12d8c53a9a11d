import type { QueueInspector } from '@image-gateway/shared/queues';
import { listHints as findHints } from '../../../operations/system/list-hints.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `GET /dashboard/api/operator/hints`: the first hints of each queue; null when Redis is unreachable. */
export function listHints({
  inspector,
}: {
  readonly inspector: QueueInspector;
}): UserHandler<'get /operator/hints'> {
  return async () => dataReply(await findHints(inspector));
}
