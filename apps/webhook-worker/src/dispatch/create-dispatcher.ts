import type { ClaimedDelivery } from '@image-gateway/shared/db';
import { chooseDeliveries } from './choose-deliveries.js';
import type { Places } from './create-places.js';
import type { FindDue } from './find-due.js';
import { waitingHostsAfter } from './waiting-hosts.js';

/** What a dispatcher works with. */
export interface DispatcherDeps {
  readonly findDue: FindDue;
  readonly claim: (ids: readonly string[]) => Promise<ClaimedDelivery[]>;
  readonly places: Places;
  /** How many due deliveries a look gives at most for one receiver. */
  readonly perHost: number;
  /** Sends one delivery; never rejects. */
  readonly deliver: (delivery: ClaimedDelivery) => Promise<void>;
  /** Called with what a round threw; the next look for everything finds what it missed. */
  readonly onError: (error: unknown) => void;
}

/** Brings due deliveries and free places together. */
export interface Dispatcher {
  /** A delivery may be due: looks for it at once. */
  readonly hint: (id: string) => void;
  /** Looks for everything that is due. */
  readonly lookForAll: () => void;
  /** How many rounds have ended, well or not: a dispatcher that lives goes on counting. */
  readonly rounds: () => number;
  /** Starts nothing any more and resolves when no post is under way. */
  readonly drain: () => Promise<void>;
}

const MOST_HOSTS_AT_ONCE = 100;

/**
 * Makes the dispatcher of a process. One round at a time finds, chooses and claims, so that no two of them can count the
 * same free place; hints that come meanwhile go together into the next round. When a post ends and more is known to wait
 * for a receiver that has room, the next round begins at once.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { findDue, claim, places, perHost, deliver, onError } = deps;
  const underWay = new Set<Promise<void>>();
  const hinted = new Set<string>();
  let waitingHosts: ReadonlySet<string> = new Set();
  let postEnded = false;
  let everything = false;
  let stopped = false;
  let busy = false;
  let working: Promise<void> = Promise.resolve();
  let rounds = 0;

  const start = (delivery: ClaimedDelivery): void => {
    const post = deliver(delivery).then(() => {
      underWay.delete(post);
      places.give(delivery.hostPort);
      postEnded = true;
      wake();
    });
    underWay.add(post);
  };

  const hostsWithRoom = (): string[] =>
    [...waitingHosts]
      .filter(places.hasRoom)
      .sort((a, b) => places.runningOf(a) - places.runningOf(b))
      .slice(0, MOST_HOSTS_AT_ONCE);

  const round = async (): Promise<void> => {
    const wanted = { ids: [...hinted], hosts: postEnded ? hostsWithRoom() : [], everything };
    hinted.clear();
    postEnded = false;
    everything = false;
    if (wanted.ids.length === 0 && wanted.hosts.length === 0 && !wanted.everything) return;
    const due = await findDue(wanted);
    const chosen = chooseDeliveries(due, places);
    waitingHosts = waitingHostsAfter(waitingHosts, { wanted, due, chosen, perHost });
    const unclaimed = new Map(chosen.map(({ id, hostPort }) => [id, hostPort]));
    try {
      for (const delivery of stopped ? [] : await claim([...unclaimed.keys()])) {
        unclaimed.delete(delivery.id);
        start(delivery);
      }
    } finally {
      for (const hostPort of unclaimed.values()) places.give(hostPort);
    }
  };

  const work = async (): Promise<void> => {
    while (!stopped && (hinted.size > 0 || everything || postEnded)) {
      await round().catch(onError);
      rounds += 1;
    }
    busy = false;
  };

  const wake = (): void => {
    if (busy) return;
    busy = true;
    working = work();
  };

  return {
    hint: (id) => {
      hinted.add(id);
      wake();
    },
    lookForAll: () => {
      everything = true;
      wake();
    },
    rounds: () => rounds,
    drain: async () => {
      stopped = true;
      await working;
      await Promise.all(underWay);
    },
  };
}
