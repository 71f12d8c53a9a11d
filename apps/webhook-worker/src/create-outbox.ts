import {
  type ClaimedDelivery,
  claimDeliveries,
  claimTests,
  type Database,
  type DeliveryOutcome,
  type DueDelivery,
  deleteOldTests,
  findDueById,
  findDueTests,
  findDueTestsById,
  finishDelivery,
  finishTest,
  type ReleasedDelivery,
  releaseExpiredDeliveries,
} from '@image-gateway/shared/db';
import { isId } from '@image-gateway/shared/ids';

/** Everything that is to be sent: deliveries of finished tasks and test events of owners. An id tells which of the two it names. */
export interface Outbox {
  readonly findDueById: (ids: readonly string[]) => Promise<DueDelivery[]>;
  /** Finds the oldest due test events, except those of some accounts. */
  readonly findDueTests: (exceptAccounts: readonly string[]) => Promise<DueDelivery[]>;
  readonly claim: (ids: readonly string[]) => Promise<ClaimedDelivery[]>;
  /** Writes the outcome of a claimed attempt; false when a later attempt has begun. */
  readonly finish: (
    claimed: Pick<ClaimedDelivery, 'id' | 'attempt' | 'taskId'>,
    outcome: Omit<DeliveryOutcome, 'id' | 'attempt'>,
  ) => Promise<boolean>;
  /** Makes deliveries due again whose sender has disappeared; test events become due when their leases end. */
  readonly releaseExpired: () => Promise<ReleasedDelivery[]>;
  /** Deletes test events that are older than a day. */
  readonly deleteOldTests: () => Promise<number>;
}

const MAX_TESTS = 200;
const MAX_DELETED = 1_000;

const isTest = (id: string): boolean => isId('test', id);

/** Creates the outbox over the tables of deliveries and of test events. */
export function createOutbox({ db, leaseMs }: { readonly db: Database; readonly leaseMs: number }): Outbox {
  const split = (ids: readonly string[]) => ({
    tests: ids.filter(isTest),
    deliveries: ids.filter((id) => !isTest(id)),
  });
  return {
    findDueById: async (ids) => {
      const { tests, deliveries } = split(ids);
      return (await Promise.all([findDueById(db, deliveries), findDueTestsById(db, tests)])).flat();
    },
    findDueTests: (exceptAccounts) => findDueTests(db, { exceptAccounts, limit: MAX_TESTS }),
    claim: async (ids) => {
      const { tests, deliveries } = split(ids);
      // When the second statement fails, what the first one claimed waits until its lease ends: better a test event than a delivery.
      const claimed = await claimTests(db, tests, leaseMs);
      return [...claimed, ...(await claimDeliveries(db, deliveries, leaseMs))];
    },
    finish: ({ id, attempt, taskId }, outcome) =>
      (taskId === null ? finishTest : finishDelivery)(db, { id, attempt, ...outcome }),
    releaseExpired: () => releaseExpiredDeliveries(db),
    deleteOldTests: () => deleteOldTests(db, MAX_DELETED),
  };
}
