import type { ClaimedDelivery, DueDelivery, Receiver } from '@image-gateway/shared/db';
import { chooseDeliveries } from './choose-deliveries.js';
import { receiverKey, type Slots } from './create-slots.js';

/** Cause of a delay: this process alone, or posts to the same host or of the same account too. */
export type WaitedFor = 'worker' | 'receiver';

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
  /** Sends one delivery; resolves to whether its receiver responded, or undefined for an attempt that was interrupted. Never rejects. */
  readonly deliver: (delivery: ClaimedDelivery, waitedFor: WaitedFor) => Promise<boolean | undefined>;
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
  /** Starts no more posts; resolves when none is under way. */
  readonly drain: () => Promise<void>;
}

const MAX_RECEIVERS_A_ROUND = 20;
const MAX_HINTS_A_ROUND = 500;
/** Hints beyond this number are left to the search. */
const MAX_HINTS = 10_000;
const MAX_WAITING = 2_000;

/**
 * Creates the dispatcher of a process. Hints, freed slots and the search have rounds of their own. None waits for the others, and
 * a failed round keeps its work for the next one. Rounds acquire slots when they choose, so that no free slot counts twice.
 * When a post ends, deliveries that are known to wait for receivers with free slots follow at once.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { search, findDueById, findDueByReceiver, perReceiver, claim, slots, deliver, onError } = deps;
  const underWay = new Set<Promise<void>>();
  const hinted = new Set<string>();
  const waiting = new Map<string, Receiver>();
  let isSearchWanted = false;
  let hasFreedSlot = false;
  let stopped = false;
  let searches = 0;
  let posts = 0;

  const start = (delivery: ClaimedDelivery, waitedFor: WaitedFor): void => {
    posts += 1;
    const post = deliver(delivery, waitedFor).then((responded) => {
      underWay.delete(post);
      slots.release(delivery, responded);
      hasFreedSlot = true;
      refills.wake();
    });
    underWay.add(post);
  };

  const startSome = async (due: readonly DueDelivery[]): Promise<void> => {
    const { chosen, left, unhindered } = chooseDeliveries(due, slots);
    for (const receiver of [...left, ...listBacklogged(due, perReceiver)]) {
      if (waiting.size < MAX_WAITING) {
        waiting.set(receiverKey(receiver), receiver);
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
      }
    }
  };

  /** Removes and returns waiting receivers that have room, those of the idlest accounts first. */
  const popWaiting = (): Receiver[] => {
    const taken = [...waiting.values()]
      .filter(slots.hasRoom)
      .map((receiver) => ({ receiver, running: slots.countRunning(receiver) }))
      .sort((a, b) => a.running.account - b.running.account || a.running.receiver - b.running.receiver)
      .slice(0, MAX_RECEIVERS_A_ROUND)
      .map(({ receiver }) => receiver);
    for (const receiver of taken) {
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
      const receivers = popWaiting();
      if (receivers.length === 0) {
        return;
      }
      try {
        const due = await findDueByReceiver(receivers);
        // Receivers without due deliveries leave their slots to others.
        hasFreedSlot ||= due.length < receivers.length;
        await startSome(due);
      } catch (error) {
        for (const receiver of receivers) {
          waiting.set(receiverKey(receiver), receiver);
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

/** Lists receivers with as many deliveries as one search returns: more may wait for them. */
function listBacklogged(due: readonly DueDelivery[], perReceiver: number): Receiver[] {
  const counts = new Map<string, { readonly receiver: Receiver; count: number }>();
  for (const receiver of due) {
    const entry = counts.get(receiverKey(receiver)) ?? { receiver, count: 0 };
    entry.count += 1;
    counts.set(receiverKey(receiver), entry);
  }
  return [...counts.values()].flatMap(({ receiver, count }) => (count >= perReceiver ? [receiver] : []));
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
