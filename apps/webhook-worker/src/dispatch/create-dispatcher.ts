import type { ClaimedDelivery, DueDelivery, Receiver } from '@image-gateway/shared/db';
import { chooseDeliveries } from './choose-deliveries.js';
import { keyOf, type Places } from './create-places.js';

/** What a dispatcher works with. */
export interface DispatcherDeps {
  /** Looks for everything that is due. */
  readonly look: () => Promise<readonly DueDelivery[]>;
  readonly findDueById: (ids: readonly string[]) => Promise<readonly DueDelivery[]>;
  /** Finds at most `perReceiver` due deliveries of each receiver. */
  readonly findDueByReceiver: (receivers: readonly Receiver[]) => Promise<readonly DueDelivery[]>;
  readonly perReceiver: number;
  readonly claim: (ids: readonly string[]) => Promise<readonly ClaimedDelivery[]>;
  readonly places: Places;
  /** Sends one delivery and says whether its receiver answered, undefined when that was not seen; never rejects. */
  readonly deliver: (delivery: ClaimedDelivery) => Promise<boolean | undefined>;
  /** Called with what a round threw; the next one does what it could not. */
  readonly onError: (error: unknown) => void;
}

/** Brings due deliveries and free places together. */
export interface Dispatcher {
  /** A delivery may be due: looks for it at once. */
  readonly hint: (id: string) => void;
  /** Looks for everything that is due, and once more for what could not be looked for. */
  readonly lookForAll: () => void;
  /** How many looks have ended, well or not, and how many posts have begun: a dispatcher that lives goes on counting. */
  readonly progress: () => { readonly looks: number; readonly posts: number };
  /** Starts nothing any more and resolves when no post is under way. */
  readonly drain: () => Promise<void>;
}

const MAX_RECEIVERS_A_ROUND = 20;
const MAX_HINTS_A_ROUND = 500;
/** More than these are left to the look for everything. */
const MAX_HINTS = 10_000;
const MAX_WAITING = 2_000;

/**
 * Makes the dispatcher of a process. Hints, places that become free and the look for everything have rounds of their own: none
 * waits for the others, and what a round that fails was asked for is kept. All take places when they choose, so that no free
 * place counts twice. When a post ends, what is known to wait for receivers with room follows at once.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { look, findDueById, findDueByReceiver, perReceiver, claim, places, deliver, onError } = deps;
  const underWay = new Set<Promise<void>>();
  const hinted = new Set<string>();
  const waiting = new Map<string, Receiver>();
  let everything = false;
  let roomCame = false;
  let stopped = false;
  let looks = 0;
  let posts = 0;

  const start = (delivery: ClaimedDelivery): void => {
    posts += 1;
    const post = deliver(delivery).then((answered) => {
      underWay.delete(post);
      places.give(delivery, answered);
      roomCame = true;
      refills.wake();
    });
    underWay.add(post);
  };

  const startSome = async (due: readonly DueDelivery[]): Promise<void> => {
    const { chosen, left } = chooseDeliveries(due, places);
    for (const receiver of [...left, ...crowdedOf(due, perReceiver)])
      if (waiting.size < MAX_WAITING) waiting.set(keyOf(receiver), receiver);
    const unclaimed = new Map(chosen.map((entry) => [entry.id, entry]));
    try {
      for (const delivery of stopped || chosen.length === 0 ? [] : await claim([...unclaimed.keys()])) {
        unclaimed.delete(delivery.id);
        start(delivery);
      }
    } finally {
      for (const entry of unclaimed.values()) places.give(entry);
    }
  };

  /** Takes the receivers that more is known to wait for and that have room, those of the idlest accounts first. */
  const takeWaiting = (): Receiver[] => {
    const taken = [...waiting.values()]
      .filter(places.hasRoom)
      .map((receiver) => ({ receiver, running: places.runningOf(receiver) }))
      .sort((a, b) => a.running.account - b.running.account || a.running.receiver - b.running.receiver)
      .slice(0, MAX_RECEIVERS_A_ROUND)
      .map(({ receiver }) => receiver);
    for (const receiver of taken) waiting.delete(keyOf(receiver));
    return taken;
  };

  const hints = createRounds({
    isWanted: () => !stopped && hinted.size > 0,
    run: async () => {
      const ids = [...hinted].slice(0, MAX_HINTS_A_ROUND);
      for (const id of ids) hinted.delete(id);
      try {
        await startSome(await findDueById(ids));
      } catch (error) {
        for (const id of ids) hinted.add(id);
        throw error;
      }
    },
    onError,
  });
  const refills = createRounds({
    isWanted: () => !stopped && roomCame,
    run: async () => {
      roomCame = false;
      const receivers = takeWaiting();
      if (receivers.length === 0) return;
      try {
        const due = await findDueByReceiver(receivers);
        // Where nothing waits any more, others may have the room.
        roomCame ||= due.length < receivers.length;
        await startSome(due);
      } catch (error) {
        for (const receiver of receivers) waiting.set(keyOf(receiver), receiver);
        throw error;
      }
    },
    onError,
  });
  const general = createRounds({
    isWanted: () => !stopped && everything,
    run: async () => {
      everything = false;
      try {
        await startSome(await look());
      } finally {
        looks += 1;
      }
    },
    onError,
  });

  return {
    hint: (id) => {
      if (hinted.size < MAX_HINTS) hinted.add(id);
      hints.wake();
    },
    lookForAll: () => {
      everything = true;
      roomCame = true;
      for (const rounds of [hints, refills, general]) rounds.wake();
    },
    progress: () => ({ looks, posts }),
    drain: async () => {
      stopped = true;
      await Promise.all([hints, refills, general].map((rounds) => rounds.idle()));
      await Promise.all(underWay);
    },
  };
}

/** Receivers that gave as many deliveries as one look gives: more may wait for them. */
function crowdedOf(due: readonly DueDelivery[], perReceiver: number): Receiver[] {
  const counts = new Map<string, { readonly receiver: Receiver; count: number }>();
  for (const receiver of due) {
    const entry = counts.get(keyOf(receiver)) ?? { receiver, count: 0 };
    entry.count += 1;
    counts.set(keyOf(receiver), entry);
  }
  return [...counts.values()].flatMap(({ receiver, count }) => (count >= perReceiver ? [receiver] : []));
}

/** Runs rounds one after the other while they are wanted. One that throws ends them until the next call of `wake`. */
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
      while (isWanted()) await run();
    } catch (error) {
      onError(error);
    } finally {
      busy = false;
    }
  };
  return {
    wake: () => {
      if (busy || !isWanted()) return;
      busy = true;
      working = work();
    },
    idle: () => working,
  };
}
