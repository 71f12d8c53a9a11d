import {
  type Database,
  type DueDelivery,
  findDueByAccount,
  findDueByHost,
  findDueOldest,
} from '@image-gateway/shared/db';
import type { Slots } from './create-slots.js';

/** Dependencies of the search for due deliveries. */
export interface DueFinderDeps {
  readonly db: Pick<Database, 'run'>;
  readonly slots: Pick<Slots, 'fullAccounts'>;
  /** Maximum of due deliveries of one receiver in a result. */
  readonly perReceiver: number;
}

const OLDEST = 250;
const PER_ACCOUNT = 20;
const ACCOUNTS_A_PAGE = 1_000;
const MAX_OPEN_ACCOUNTS = 64;
const MAX_PAGES = 8;
const MAX_HOSTS = 2_000;
const MAX_REMEMBERED = 1_000;

/**
 * Creates the search for due deliveries. It reads the oldest few. When there are more, it goes on from account to account, and
 * from receiver to receiver of accounts with many due deliveries. Each search visits a bounded number of them, and the next one
 * goes on from there. No backlog makes it slow, and no account is passed over.
 */
export function createDueFinder({ db, slots, perReceiver }: DueFinderDeps): () => Promise<DueDelivery[]> {
  let account = '';
  const hosts = new Map<string, string>();

  const searchAccounts = async (): Promise<DueDelivery[]> => {
    const found: DueDelivery[] = [];
    const excluded = slots.fullAccounts();
    for (let page = 0; page < MAX_PAGES; page++) {
      const walk = {
        excluded,
        maxVisited: ACCOUNTS_A_PAGE,
        maxOpen: MAX_OPEN_ACCOUNTS,
        perAccount: PER_ACCOUNT,
      };
      const { due, next } = await findDueByAccount(db, { ...walk, after: account });
      found.push(...due);
      account = next;
      if (next === '' || due.length >= MAX_OPEN_ACCOUNTS) {
        break;
      }
    }
    return found;
  };

  const searchHosts = async (found: readonly DueDelivery[]): Promise<readonly DueDelivery[]> => {
    const counts = new Map<string, number>();
    for (const { accountId } of found) {
      counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    }
    const backlogged = [...counts].flatMap(([accountId, count]) => (count >= PER_ACCOUNT ? [accountId] : []));
    const after = new Map(backlogged.map((accountId) => [accountId, hosts.get(accountId) ?? '']));
    const maxVisited = Math.ceil(MAX_HOSTS / Math.max(backlogged.length, 1));
    const { due, next } = await findDueByHost(db, after, { maxVisited, perHost: perReceiver });
    // Those that have no more receivers begin again; so do all, should too many be remembered.
    for (const accountId of backlogged) {
      hosts.delete(accountId);
    }
    if (hosts.size > MAX_REMEMBERED) {
      hosts.clear();
    }
    for (const [accountId, hostPort] of next) {
      hosts.set(accountId, hostPort);
    }
    return due;
  };

  return async () => {
    const oldest = await findDueOldest(db, OLDEST);
    if (oldest.length < OLDEST) {
      return oldest;
    }
    const ofAccounts = await searchAccounts();
    return [...oldest, ...ofAccounts, ...(await searchHosts(ofAccounts))];
  };
}
