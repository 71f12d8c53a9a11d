import type { QueueInspector } from '@image-gateway/shared/queues';
import type { HintItem } from '@image-gateway/shared/system/schema';

const MAX_HINTS = 50;
const QUEUES = ['generation', 'webhook'] as const;

/** Lists the first hints of each queue; null while Redis is unreachable. */
export async function listHints(inspector: QueueInspector): Promise<HintItem[] | null> {
  const lists = await Promise.all(
    QUEUES.map(async (queue): Promise<HintItem[] | null> => {
      const hints = await inspector.list(queue, MAX_HINTS);
      if (hints === null) {
        return null;
      }
      return hints.map(({ id, state, addedAt }) => ({ queue, id, state, added_at: addedAt.toISOString() }));
    }),
  );
  return lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []);
}
