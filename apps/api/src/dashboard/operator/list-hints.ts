import type { QueueInspector } from '@image-gateway/shared/queues';
import type { Handler } from '../../http/call.js';
import { listHints as findHints } from '../../operations/system/list-hints.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/operator/hints`: the first hints of each queue, to look at; null when Redis does not answer. */
export function listHints({ inspector }: { readonly inspector: QueueInspector }): Handler<ViewerCall> {
  return async () => dataReply(await findHints(inspector));
}
