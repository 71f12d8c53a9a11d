import type { QueueInspector } from '@image-gateway/shared/queues';
import type { Handler } from '../../../http/framework/call.js';
import { listHints as findHints } from '../../../operations/system/list-hints.js';
import { dataReply } from '../../data-reply.js';
import type { UserCall } from '../../route.js';

/** `GET /dashboard/api/operator/hints`: the first hints of each queue, to look at; null when Redis does not answer. */
export function listHints({ inspector }: { readonly inspector: QueueInspector }): Handler<UserCall> {
  return async () => dataReply(await findHints(inspector));
}
