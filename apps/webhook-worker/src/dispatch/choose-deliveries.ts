import type { DueDelivery } from '@image-gateway/shared/db';
import { keyOf, type Places } from './create-places.js';

/** Due deliveries that a place was taken for, and those that there was none for. */
export interface Choice {
  readonly chosen: readonly DueDelivery[];
  readonly left: readonly DueDelivery[];
}

/**
 * Chooses from due deliveries those that there is a place for, and takes it: in turns one of each account, those with the
 * fewest posts under way first; of an account in the same way one of each receiver; among equals the oldest.
 */
export function chooseDeliveries(
  due: readonly DueDelivery[],
  places: Pick<Places, 'take' | 'runningOf'>,
): Choice {
  const all = [...new Map(due.map((entry) => [entry.id, entry])).values()].sort(
    (a, b) => b.lateMs - a.lateMs,
  );
  const accounts = [...groupBy(all, ({ accountId }) => accountId).values()].map((ofAccount) => [
    ...groupBy(ofAccount, keyOf).values(),
  ]);
  const chosen = new Set<DueDelivery>();

  /** Takes a place for the next delivery of an account; false when none of its receivers has one. */
  const chooseOne = (receivers: DueDelivery[][]): boolean => {
    receivers.sort((a, b) => runningOf(a).receiver - runningOf(b).receiver || lateMsOf(b) - lateMsOf(a));
    for (const queue of receivers) {
      const [next] = queue;
      if (!next || !places.take(next)) continue;
      chosen.add(next);
      queue.shift();
      return true;
    }
    return false;
  };
  const runningOf = ([first]: readonly DueDelivery[]) =>
    first ? places.runningOf(first) : { account: 0, receiver: 0 };

  let open = accounts;
  while (open.length > 0) {
    open.sort(
      (a, b) =>
        runningOf(a[0] ?? []).account - runningOf(b[0] ?? []).account ||
        Math.max(...b.map(lateMsOf)) - Math.max(...a.map(lateMsOf)),
    );
    open = open.filter(chooseOne);
  }
  return { chosen: [...chosen], left: all.filter((entry) => !chosen.has(entry)) };
}

function lateMsOf([first]: readonly DueDelivery[]): number {
  return first?.lateMs ?? Number.NEGATIVE_INFINITY;
}

function groupBy<T>(entries: readonly T[], keyOfEntry: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyOfEntry(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}
