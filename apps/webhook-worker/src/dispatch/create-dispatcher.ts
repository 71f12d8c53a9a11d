import type { ClaimedDelivery, DueDelivery, Receiver } from '@image-gateway/shared/db';
import { chooseDeliveries } from './choose-deliveries.js';
import { receiverKey, type Slots } from './create-slots.js';

/** Cause of a delay: this process alone, or posts to the same host or of the same account too. */
export type WaitedFor = 'worker' | 'receiver';

/** Post that is over. */
export interface Posted {
  /** True when the receiver responded; undefined for an attempt that was interrupted. */
  readonly responded: boolean | undefined;
  /** Resolves when the outcome is recorded, or given up. Never rejects. */
  readonly recorded: Promise<void>;
}

/** Dependencies of a dispatcher. */
export interface DispatcherDeps {
  /** Finds due deliveries of all accounts, in turns. */
  readonly search: () => Promise<readonly DueDelivery[]>;
  readonly findDueById: (ids: readonly string[]) => Promise<readonly DueDelivery[]>;
  /** Finds at most `perReceiver` due deliveries of each receiver. */
  readonly findDueByReceiver: (receivers: readonly Receiver[]) => Promise<readonly DueDelivery[]>;
  readonly perReceiver: number;
  readonly claim: (ids: readonly string[]) => Promise<readonly ClaimedDelivery[]>;
  readonly slots: Slots;
  /** Sends one delivery; resolves when the post is over. Never rejects. */
  readonly deliver: (delivery: ClaimedDelivery, waitedFor: WaitedFor) => Promise<Posted>;
  /** Called with the error of a failed round; the next round repeats its work. */
  readonly onError: (error: unknown) => void;
}

/** Assigns free slots to due deliveries. */
export interface Dispatcher {
  /** Checks at once whether a delivery is due, and sends it then. */
  readonly hint: (id: string) => void;
  /** Searches for all due deliveries, and repeats the work of failed rounds. */
  readonly searchAll: () => void;
  /** Searches that have ended, also by an error, and posts that have begun. Both grow while the dispatcher is alive. */
  readonly progress: () => { readonly searches: number; readonly posts: number };
  /** Starts no more posts; resolves when none is under way and all outcomes are recorded. */
  readonly drain: () => Promise<void>;
}

const MAX_RECEIVERS_A_ROUND = 20;
const MAX_HINTS_A_ROUND = 500;
/** Hints beyond this number are left to the search. */
const MAX_HINTS = 10_000;
const MAX_WAITING = 2_000;
/** Posts that are over and whose outcomes are not recorded yet. More of them keep their slots. */
const MAX_UNRECORDED = 100;

/** Receiver without room for all that is due to it. */
interface Backlog {
  readonly receiver: Receiver;
  /** Due deliveries that were read and got no slot, the oldest first. Others may claim them meanwhile. */
  readonly due: readonly DueDelivery[];
  /** True where more may be due than was read. */
  readonly hasMore: boolean;
}

/**
 * Creates the dispatcher of a process. Hints, freed slots and the search have rounds of their own. None waits for the others, and
 * a failed round keeps its work for the next one. Rounds acquire slots when they choose, so that no free slot counts twice.
 * When a post ends, deliveries that are known to wait for receivers with free slots follow at once, while its outcome is recorded.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { search, findDueById, findDueByReceiver, perReceiver, claim, slots, deliver, onError } = deps;
  const underWay = new Set<Promise<void>>();
  const hinted = new Set<string>();
  const waiting = new Map<string, Backlog>();
  let isSearchWanted = false;
  let hasFreedSlot = false;
  let stopped = false;
  let searches = 0;
  let posts = 0;

  const start = (delivery: ClaimedDelivery, waitedFor: WaitedFor): void => {
    posts += 1;
    const post = deliver(delivery, waitedFor).then(async ({ responded, recorded }) => {
      if (underWay.size - slots.running() >= MAX_UNRECORDED) {
        await recorded;
      }
      slots.release(delivery, responded);
      hasFreedSlot = true;
      refills.wake();
      await recorded;
      underWay.delete(post);
    });
    underWay.add(post);
  };

  /** Starts what has a slot, of deliveries that were just read, and of those of some backlogs. */
  const startSome = async (
    read: readonly DueDelivery[],
    backlogs: readonly Backlog[] = [],
  ): Promise<void> => {
    const remembered = new Set(backlogs.flatMap(({ due }) => due));
    const { chosen, left, unhindered } = chooseDeliveries([...remembered].concat(read), slots);
    for (const [key, backlog] of listBacklogs({ read, left, backlogs }, perReceiver)) {
      const isKnown = waiting.has(key);
      if (isKnown || waiting.size < MAX_WAITING) {
        // The rest that was remembered of it is read again, after these.
        waiting.set(key, isKnown ? { ...backlog, hasMore: true } : backlog);
      }
    }
    const unclaimed = new Map(chosen.map((entry) => [entry.id, entry]));
    try {
      for (const delivery of stopped || chosen.length === 0 ? [] : await claim([...unclaimed.keys()])) {
        const entry = unclaimed.get(delivery.id);
        unclaimed.delete(delivery.id);
        start(delivery, entry && unhindered.has(entry) ? 'worker' : 'receiver');
      }
    } finally {
      for (const entry of unclaimed.values()) {
        slots.release(entry);
        if (remembered.has(entry)) {
          readAnew(entry);
        }
      }
    }
  };

  /** Lets what is due to a receiver be read again at once: another process has claimed some of what was remembered. */
  const readAnew = (receiver: Receiver): void => {
    waiting.set(receiverKey(receiver), { receiver, due: [], hasMore: true });
    hasFreedSlot = true;
    refills.wake();
  };

  /** Removes and returns waiting receivers that have room, those of the idlest accounts first. */
  const popWaiting = (): Backlog[] => {
    const withRoom = [...waiting.values()].filter(({ receiver }) => slots.hasRoom(receiver));
    // Hundreds may wait at each round, and their counts are few and small: no sorting of them all.
    const byCounts = Map.groupBy(withRoom, ({ receiver }) => {
      const running = slots.countRunning(receiver);
      return running.account * (perReceiver + 1) + running.receiver;
    });
    const taken = [...byCounts]
      .sort(([a], [b]) => a - b)
      .flatMap(([, backlogs]) => backlogs)
      .slice(0, MAX_RECEIVERS_A_ROUND);
    for (const { receiver } of taken) {
      waiting.delete(receiverKey(receiver));
    }
    return taken;
  };

  const hints = createRounds({
    isWanted: () => !stopped && hinted.size > 0,
    run: async () => {
      const ids = [...hinted].slice(0, MAX_HINTS_A_ROUND);
      for (const id of ids) {
        hinted.delete(id);
      }
      try {
        await startSome(await findDueById(ids));
      } catch (error) {
        for (const id of ids) {
          hinted.add(id);
        }
        throw error;
      }
    },
    onError,
  });
  const refills = createRounds({
    isWanted: () => !stopped && hasFreedSlot,
    run: async () => {
      hasFreedSlot = false;
      const backlogs = popWaiting();
      if (backlogs.length === 0) {
        return;
      }
      try {
        const unread = backlogs.filter(({ due }) => due.length === 0).map(({ receiver }) => receiver);
        const read = unread.length > 0 ? await findDueByReceiver(unread) : [];
        // Receivers without due deliveries leave their slots to others.
        hasFreedSlot ||= read.length < unread.length;
        await startSome(read, backlogs);
      } catch (error) {
        for (const backlog of backlogs) {
          waiting.set(receiverKey(backlog.receiver), backlog);
        }
        throw error;
      }
    },
    onError,
  });
  const general = createRounds({
    isWanted: () => !stopped && isSearchWanted,
    run: async () => {
      isSearchWanted = false;
      try {
        await startSome(await search());
      } finally {
        searches += 1;
      }
    },
    onError,
  });

  return {
    hint: (id) => {
      if (hinted.size < MAX_HINTS) {
        hinted.add(id);
      }
      hints.wake();
    },
    searchAll: () => {
      isSearchWanted = true;
      hasFreedSlot = true;
      for (const rounds of [hints, refills, general]) {
        rounds.wake();
      }
    },
    progress: () => ({ searches, posts }),
    drain: async () => {
      stopped = true;
      await Promise.all([hints, refills, general].map((rounds) => rounds.idle()));
      await Promise.all(underWay);
    },
  };
}

/** Lists receivers for which more waits than got a slot, or may wait: as much as one search returns was read of them. */
function listBacklogs(
  {
    read,
    left,
    backlogs,
  }: {
    readonly read: readonly DueDelivery[];
    readonly left: readonly DueDelivery[];
    readonly backlogs: readonly Backlog[];
  },
  perReceiver: number,
): ReadonlyMap<string, Backlog> {
  const found = new Map<string, Backlog>();
  for (const { receiver, hasMore, due } of backlogs) {
    found.set(receiverKey(receiver), { receiver, due: [], hasMore: hasMore && due.length > 0 });
  }
  for (const [key, all] of Map.groupBy(read, receiverKey)) {
    const [receiver] = all;
    if (receiver) {
      found.set(key, { receiver, due: [], hasMore: all.length >= perReceiver });
    }
  }
  const leftByReceiver = Map.groupBy(left, receiverKey);
  return new Map(
    [...found].flatMap(([key, backlog]) => {
      const all = leftByReceiver.get(key) ?? [];
      // Few, since each round goes through them all. No receiver gets more places at once.
      const due = all.slice(0, perReceiver);
      const hasMore = backlog.hasMore || all.length > due.length;
      return due.length > 0 || hasMore ? [[key, { ...backlog, due, hasMore }]] : [];
    }),
  );
}

/** Runs rounds one after the other while they are wanted. An error ends them until the next call of `wake`. */
function createRounds({
  isWanted,
  run,
  onError,
}: {
  readonly isWanted: () => boolean;
  readonly run: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}): { readonly wake: () => void; readonly idle: () => Promise<void> } {
  let busy = false;
  let working: Promise<void> = Promise.resolve();
  const work = async (): Promise<void> => {
    try {
      while (isWanted()) {
        await run();
      }
    } catch (error) {
      onError(error);
    } finally {
      busy = false;
    }
  };
  return {
    wake: () => {
      if (busy || !isWanted()) {
        return;
      }
      busy = true;
      working = work();
    },
    idle: () => working,
  };
}
