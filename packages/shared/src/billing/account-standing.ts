import type { Database } from '../db/index.js';
import { EXPLAIN_REFUSAL } from './accept-sql.js';

/** What an account can afford. */
export interface AccountStanding {
  readonly status: string;
  readonly openCount: number;
  /** What an operator allows this account; null: what everybody may have. */
  readonly maxOpenTasks: number | null;
  /** Balance less open holds, in micro-dollars. */
  readonly available: bigint;
}

/** Looks an account up; undefined when there is none. */
export type FindStanding = (accountId: string) => Promise<AccountStanding | undefined>;

/** Makes the look-up of accounts. Those who ask for the same account while it is being read share the next read, never the one under way, which may be older than their question. */
export function createStandingFinder(db: Pick<Database, 'run'>): FindStanding {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<AccountStanding | undefined>>();

  const read = (accountId: string): Promise<AccountStanding | undefined> => {
    const reading = db.run<AccountStanding>(EXPLAIN_REFUSAL, [accountId]).then(([account]) => account);
    const settled = reading.then(
      () => running.delete(accountId),
      () => running.delete(accountId),
    );
    running.set(accountId, settled);
    return reading;
  };

  return (accountId) => {
    const current = running.get(accountId);
    if (!current) return read(accountId);
    const planned = next.get(accountId);
    if (planned) return planned;
    const plan = current.then(() => {
      next.delete(accountId);
      return read(accountId);
    });
    next.set(accountId, plan);
    return plan;
  };
}
