import {
  type ClaimedDelivery,
  claimDeliveries,
  claimEvents,
  claimTests,
  type Database,
  type DeliveryOutcome,
  type DueDelivery,
  deleteOldTests,
  findDueById,
  findDueEvents,
  findDueEventsInTurns,
  findDueTests,
  findDueTestsById,
  finishDelivery,
  finishEvent,
  finishTest,
  type ReleasedDelivery,
  releaseExpiredDeliveries,
} from '@image-gateway/shared/db';
import { isId } from '@image-gateway/shared/ids';

/** Everything that is to be sent: deliveries of finished tasks, test events of owners, and events of endpoints. */
export interface Outbox {
  readonly findDueById: (ids: readonly string[]) => Promise<DueDelivery[]>;
  /** Finds the oldest due test events, except those of some accounts. */
  readonly findDueTests: (exceptAccounts: readonly string[]) => Promise<DueDelivery[]>;
  /** Finds the oldest due events; of a backlog those of the next endpoints, in turns. */
  readonly findDueEvents: () => Promise<readonly DueDelivery[]>;
  readonly claim: (ids: readonly string[]) => Promise<ClaimedDelivery[]>;
  /** Writes the outcome of a claimed attempt; false when a later attempt has begun. */
  readonly finish: (
    claimed: Pick<ClaimedDelivery, 'id' | 'attempt' | 'source'>,
    outcome: Omit<DeliveryOutcome, 'id' | 'attempt'>,
  ) => Promise<boolean>;
  /** Makes deliveries due again whose sender has disappeared; test events become due when their leases end. */
  readonly releaseExpired: () => Promise<ReleasedDelivery[]>;
  /** Deletes test events that are older than a day. */
  readonly deleteOldTests: () => Promise<number>;
}

const MAX_TESTS = 200;
const MAX_DELETED = 1_000;
const MAX_EVENTS = 200;
const MAX_ENDPOINTS = 200;
const PER_ENDPOINT = 5;

const FINISH = { task: finishDelivery, test: finishTest, endpoint: finishEvent } as const;

const isTest = (id: string): boolean => isId('test', id);

/** Creates the outbox over the tables of deliveries and of test events. */
export function createOutbox({ db, leaseMs }: { readonly db: Database; readonly leaseMs: number }): Outbox {
  const split = (ids: readonly string[]) => ({
    tests: ids.filter(isTest),
    events: ids.filter((id) => events.has(id)),
    deliveries: ids.filter((id) => !isTest(id) && !events.has(id)),
  });
  // Their ids look like those of deliveries.
  let events: ReadonlySet<string> = new Set();
  let after = '';
  return {
    findDueById: async (ids) => {
      const { tests, deliveries } = split(ids);
      return (await Promise.all([findDueById(db, deliveries), findDueTestsById(db, tests)])).flat();
    },
    findDueTests: (exceptAccounts) => findDueTests(db, { exceptAccounts, limit: MAX_TESTS }),
    findDueEvents: async () => {
      const oldest = await findDueEvents(db, MAX_EVENTS);
      let due: readonly DueDelivery[] = oldest;
      if (oldest.length === MAX_EVENTS) {
        const page = await findDueEventsInTurns(db, {
          after,
          maxVisited: MAX_ENDPOINTS,
          perEndpoint: PER_ENDPOINT,
        });
        after = page.next;
        due = page.due;
      }
      events = new Set(due.map(({ id }) => id));
      return due;
    },
    claim: async (ids) => {
      const { tests, events: ofEndpoints, deliveries } = split(ids);
      // When the second statement fails, what the first one claimed waits until its lease ends: better a test event than a delivery.
      const claimed = [
        ...(await claimTests(db, tests, leaseMs)),
        ...(await claimEvents(db, ofEndpoints, leaseMs)),
      ];
      return [...claimed, ...(await claimDeliveries(db, deliveries, leaseMs))];
    },
    finish: ({ id, attempt, source }, outcome) => FINISH[source](db, { id, attempt, ...outcome }),
    releaseExpired: () => releaseExpiredDeliveries(db),
    deleteOldTests: () => deleteOldTests(db, MAX_DELETED),
  };
}
