import type { HintItem } from '@image-gateway/shared/contract';
import type { QueueInspector } from '@image-gateway/shared/queues';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

const MOST = 50;
const QUEUES = ['generation', 'webhook'] as const;

/** `GET /dashboard/api/operator/hints`: the first hints of each queue, to look at; null when Redis does not answer. */
export function listHints({ inspector }: { readonly inspector: QueueInspector }): Handler<ViewerCall> {
  return async () => {
    const lists = await Promise.all(
      QUEUES.map(async (queue): Promise<HintItem[] | null> => {
        const hints = await inspector.list(queue, MOST);
        if (hints === null) return null;
        return hints.map(({ id, state, addedAt }) => ({ queue, id, state, added_at: addedAt.toISOString() }));
      }),
    );
    return dataReply(lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []));
  };
}
