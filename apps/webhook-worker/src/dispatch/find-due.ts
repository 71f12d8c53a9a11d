import {
  type Database,
  type DueDelivery,
  findDueById,
  findDueOfAllHosts,
  findDueOfHosts,
  findDueOldest,
} from '@image-gateway/shared/db';

/** What to look for: hinted deliveries, receivers that more is known to wait for, or everything. */
export interface Wanted {
  readonly ids: readonly string[];
  readonly hosts: readonly string[];
  readonly everything: boolean;
}

/** Finds due deliveries. */
export type FindDue = (wanted: Wanted) => Promise<DueDelivery[]>;

/**
 * Makes the look-up of due deliveries. Looking for everything reads the oldest few; only when there are more does it go
 * from receiver to receiver, so that a backlog of one is stepped over and costs nothing when there is none.
 */
export function createFindDue({
  db,
  perHost,
  oldest,
}: {
  readonly db: Database;
  readonly perHost: number;
  /** How many of the oldest are read before the look-up goes by receiver. */
  readonly oldest: number;
}): FindDue {
  const findEverything = async (): Promise<DueDelivery[]> => {
    const found = await findDueOldest(db, oldest);
    return found.length < oldest ? found : findDueOfAllHosts(db, perHost);
  };
  return async ({ ids, hosts, everything }) => {
    const found = await Promise.all([
      findDueById(db, ids),
      everything ? findEverything() : findDueOfHosts(db, hosts, perHost),
    ]);
    return found.flat();
  };
}
