import type { Receiver } from '@image-gateway/shared/db';

/** Numbers of posts under way. */
export interface RunningPosts {
  readonly account: number;
  readonly receiver: number;
  readonly host: number;
}

/** Slots for posts under way, shared by accounts and their receivers. */
export interface Slots {
  /** Returns whether a receiver may have one more slot now. */
  readonly hasRoom: (receiver: Receiver) => boolean;
  /** Acquires a slot for a receiver; false when it may have none now. */
  readonly acquire: (receiver: Receiver) => boolean;
  /** Releases a slot; `responded` is undefined when no attempt was completed. Throws RangeError when none was acquired. */
  readonly release: (receiver: Receiver, responded?: boolean) => void;
  /** Posts under way of one account, to one of its receivers, and to the host of that for all accounts. */
  readonly countRunning: (receiver: Receiver) => RunningPosts;
  /** Accounts that may have no slot now, for none of their receivers. */
  readonly fullAccounts: () => string[];
  readonly running: () => number;
}

/** Numbers of slots. */
export interface SlotOptions {
  readonly total: number;
  /** Maximum of posts at a time to one `host:port`, for all accounts. */
  readonly perHost: number;
  /** Maximum of posts at a time of one account to one `host:port`. */
  readonly perReceiver: number;
}

/** One slot in this many is reserved for receivers that responded lately. */
const RESERVED_SHARE = 4;
const MAX_REMEMBERED = 10_000;

/**
 * Creates the slots of a process. An account may never hold more than it leaves free. Alone it gets half of them, and two get a
 * third each. An account without one finds a free slot at once. A quarter is reserved for receivers that responded to their
 * last attempt. The receivers of an account share its part in the same way: the fuller it is, the fewer a single one may have.
 * Accounts share the slots of a host in the same way as all: none may hold more of them than it leaves free.
 */
export function createSlots({ total, perHost, perReceiver }: SlotOptions): Slots {
  const byAccount = createCounts();
  const byHost = createCounts();
  const byReceiver = createCounts();
  const responsive = new Set<string>();
  const reserved = Math.floor(total / RESERVED_SHARE);
  let running = 0;

  const accountHasRoom = (accountId: string): boolean => byAccount.of(accountId) < total - running;
  const hasRoom = (receiver: Receiver): boolean => {
    const key = receiverKey(receiver);
    const own = byReceiver.of(key);
    if (own >= Math.min(perReceiver, perHost - byHost.of(receiver.hostPort))) {
      return false;
    }
    const free = total - running - (responsive.has(key) ? 0 : reserved);
    const ofAccount = byAccount.of(receiver.accountId);
    const mayHold = (ofAccount + free) / 2;
    return ofAccount < mayHold * (1 - own / (perReceiver + 1));
  };

  return {
    hasRoom,
    acquire: (receiver) => {
      if (!hasRoom(receiver)) {
        return false;
      }
      byAccount.add(receiver.accountId, 1);
      byHost.add(receiver.hostPort, 1);
      byReceiver.add(receiverKey(receiver), 1);
      running += 1;
      return true;
    },
    release: (receiver, responded) => {
      const key = receiverKey(receiver);
      if (byReceiver.of(key) === 0) {
        throw new RangeError(`no slot was acquired for ${receiver.hostPort}`);
      }
      byAccount.add(receiver.accountId, -1);
      byHost.add(receiver.hostPort, -1);
      byReceiver.add(key, -1);
      running -= 1;
      if (responded === undefined) {
        return;
      }
      responsive.delete(key);
      if (responded) {
        responsive.add(key);
      }
      const [oldest] = responsive;
      if (responsive.size > MAX_REMEMBERED && oldest !== undefined) {
        responsive.delete(oldest);
      }
    },
    countRunning: (receiver) => ({
      account: byAccount.of(receiver.accountId),
      receiver: byReceiver.of(receiverKey(receiver)),
      host: byHost.of(receiver.hostPort),
    }),
    fullAccounts: () => byAccount.keys().filter((accountId) => !accountHasRoom(accountId)),
    running: () => running,
  };
}

/** Keys by receiver: rounds ask for those of each waiting one again and again, and comparing the same text is cheap. */
const keys = new WeakMap<Receiver, string>();

/** Returns the key of a receiver in maps; ids of accounts contain no spaces. */
export function receiverKey(receiver: Receiver): string {
  let key = keys.get(receiver);
  if (key === undefined) {
    key = `${receiver.accountId} ${receiver.hostPort}`;
    keys.set(receiver, key);
  }
  return key;
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (key: string): number => counts.get(key) ?? 0,
    keys: (): string[] => [...counts.keys()],
    add: (key: string, step: number): void => {
      const count = (counts.get(key) ?? 0) + step;
      if (count === 0) {
        counts.delete(key);
      } else {
        counts.set(key, count);
      }
    },
  };
}
