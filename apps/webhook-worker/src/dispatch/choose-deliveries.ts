import type { DueDelivery } from '@image-gateway/shared/db';
import type { Places } from './create-places.js';

/**
 * Chooses from due deliveries those that there is a place for: round after round one for each receiver, those with the
 * fewest posts under way first and among equals those that have waited longest. Takes a place for each that it gives.
 */
export function chooseDeliveries(
  due: readonly DueDelivery[],
  places: Pick<Places, 'take' | 'runningOf'>,
): DueDelivery[] {
  const oldestFirst = [...new Map(due.map((entry) => [entry.id, entry])).values()].sort(
    (a, b) => b.lateMs - a.lateMs,
  );
  const queues = new Map<string, DueDelivery[]>();
  for (const entry of oldestFirst) {
    const queue = queues.get(entry.hostPort);
    if (queue) queue.push(entry);
    else queues.set(entry.hostPort, [entry]);
  }

  const chosen: DueDelivery[] = [];
  let open = [...queues];
  while (open.length > 0) {
    open.sort(
      ([a, ofA], [b, ofB]) =>
        places.runningOf(a) - places.runningOf(b) || (ofB[0]?.lateMs ?? 0) - (ofA[0]?.lateMs ?? 0),
    );
    open = open.filter(([hostPort, queue]) => {
      if (queue.length === 0 || !places.take(hostPort)) return false;
      const next = queue.shift();
      if (next) chosen.push(next);
      return queue.length > 0;
    });
  }
  return chosen;
}
