import type { DueDelivery } from '@image-gateway/shared/db';
import { receiverKey, type Slots } from './create-slots.js';

/** Due deliveries that got a slot, and those that did not. */
export interface Choice {
  readonly chosen: readonly DueDelivery[];
  readonly left: readonly DueDelivery[];
  /** Chosen ones that no post to their host or of their account held up: they waited for this process alone. */
  readonly unhindered: ReadonlySet<DueDelivery>;
}

/**
 * Chooses due deliveries and acquires their slots. Accounts take turns, those with the fewest posts under way first. Within an
 * account, receivers take turns in the same way. Among equals the oldest delivery comes first.
 */
export function chooseDeliveries(
  due: readonly DueDelivery[],
  slots: Pick<Slots, 'acquire' | 'countRunning'>,
): Choice {
  const all = [...new Map(due.map((entry) => [entry.id, entry])).values()].sort(
    (a, b) => b.lateMs - a.lateMs,
  );
  const accounts = [...groupBy(all, ({ accountId }) => accountId).values()].map((ofAccount) => [
    ...groupBy(ofAccount, receiverKey).values(),
  ]);
  const chosen = new Set<DueDelivery>();
  const unhindered = new Set<DueDelivery>();

  /** Acquires a slot for the next delivery of an account; false when none of its receivers may have one. */
  const chooseOne = (receivers: DueDelivery[][]): boolean => {
    receivers.sort(
      (a, b) => countRunning(a).receiver - countRunning(b).receiver || getLateMs(b) - getLateMs(a),
    );
    for (const queue of receivers) {
      const [next] = queue;
      const { account, host } = countRunning(queue);
      if (!next || !slots.acquire(next)) {
        continue;
      }
      chosen.add(next);
      if (account === 0 && host === 0) {
        unhindered.add(next);
      }
      queue.shift();
      return true;
    }
    return false;
  };
  const countRunning = ([first]: readonly DueDelivery[]) =>
    first ? slots.countRunning(first) : { account: 0, receiver: 0, host: 0 };

  let open = accounts;
  while (open.length > 0) {
    open.sort(
      (a, b) =>
        countRunning(a[0] ?? []).account - countRunning(b[0] ?? []).account ||
        Math.max(...b.map(getLateMs)) - Math.max(...a.map(getLateMs)),
    );
    open = open.filter(chooseOne);
  }
  return { chosen: [...chosen], left: all.filter((entry) => !chosen.has(entry)), unhindered };
}

function getLateMs([first]: readonly DueDelivery[]): number {
  return first?.lateMs ?? Number.NEGATIVE_INFINITY;
}

function groupBy<T>(entries: readonly T[], keyOfEntry: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyOfEntry(entry);
    const group = groups.get(key);
    if (group) {
      group.push(entry);
    } else {
      groups.set(key, [entry]);
    }
  }
  return groups;
}
