import type { Receiver } from '@image-gateway/shared/db';

/** The room there is for posts under way. */
export interface Places {
  /** Whether a receiver could have one more place now. */
  readonly hasRoom: (receiver: Receiver) => boolean;
  /** Takes a place for a receiver; false when there is none for it now. */
  readonly take: (receiver: Receiver) => boolean;
  /** Gives a place back; `answered` says whether the receiver answered, undefined when no attempt was made. Throws RangeError when none was taken. */
  readonly give: (receiver: Receiver, answered?: boolean) => void;
  /** Posts under way of one account, and to one of its receivers. */
  readonly runningOf: (receiver: Receiver) => { readonly account: number; readonly receiver: number };
  /** Accounts that can get no place now, whichever of their receivers it is for. */
  readonly fullAccounts: () => string[];
  readonly running: () => number;
}

/** How many places there are. */
export interface PlacesOptions {
  readonly total: number;
  /** Most posts at a time to one `host:port`, whoever they are for. */
  readonly perHost: number;
  /** Most of them for one account. */
  readonly perReceiver: number;
}

/** One of so many places is kept for receivers that answered lately. */
const KEPT_SHARE = 4;
const MAX_REMEMBERED = 10_000;

/**
 * Makes the places of a process. An account may never hold more than it leaves free: alone it gets half of them, two get a
 * third each, and one that has none finds a place at once. A quarter is kept for receivers whose last attempt was answered.
 * Of what an account may hold its receivers share in the same way: the fuller it is, the fewer a single one may have.
 */
export function createPlaces({ total, perHost, perReceiver }: PlacesOptions): Places {
  const byAccount = createCounts();
  const byHost = createCounts();
  const byReceiver = createCounts();
  const answering = new Set<string>();
  const kept = Math.floor(total / KEPT_SHARE);
  let running = 0;

  const accountHasRoom = (accountId: string): boolean => byAccount.of(accountId) < total - running;
  const hasRoom = (receiver: Receiver): boolean => {
    const key = keyOf(receiver);
    const own = byReceiver.of(key);
    if (own >= perReceiver || byHost.of(receiver.hostPort) >= perHost) return false;
    const free = total - running - (answering.has(key) ? 0 : kept);
    const ofAccount = byAccount.of(receiver.accountId);
    const mayHold = (ofAccount + free) / 2;
    return ofAccount < mayHold * (1 - own / (perReceiver + 1));
  };

  return {
    hasRoom,
    take: (receiver) => {
      if (!hasRoom(receiver)) return false;
      byAccount.add(receiver.accountId, 1);
      byHost.add(receiver.hostPort, 1);
      byReceiver.add(keyOf(receiver), 1);
      running += 1;
      return true;
    },
    give: (receiver, answered) => {
      const key = keyOf(receiver);
      if (byReceiver.of(key) === 0) throw new RangeError(`no place was taken for ${receiver.hostPort}`);
      byAccount.add(receiver.accountId, -1);
      byHost.add(receiver.hostPort, -1);
      byReceiver.add(key, -1);
      running -= 1;
      if (answered === undefined) return;
      answering.delete(key);
      if (answered) answering.add(key);
      const [oldest] = answering;
      if (answering.size > MAX_REMEMBERED && oldest !== undefined) answering.delete(oldest);
    },
    runningOf: (receiver) => ({
      account: byAccount.of(receiver.accountId),
      receiver: byReceiver.of(keyOf(receiver)),
    }),
    fullAccounts: () => byAccount.keys().filter((accountId) => !accountHasRoom(accountId)),
    running: () => running,
  };
}

/** Name of a receiver in maps; ids of accounts hold no spaces. */
export function keyOf({ accountId, hostPort }: Receiver): string {
  return `${accountId} ${hostPort}`;
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (key: string): number => counts.get(key) ?? 0,
    keys: (): string[] => [...counts.keys()],
    add: (key: string, step: number): void => {
      const count = (counts.get(key) ?? 0) + step;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}
