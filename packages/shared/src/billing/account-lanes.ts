import { createMicroBatch, isConnectionTrouble, type MicroBatch, sqlStateOf } from '../db/index.js';

/** How statements that lock accounts are shared. */
export interface AccountLanesOptions<I, O> {
  readonly accountOf: (item: I) => string;
  /** Does some items in one statement, in their order. With `wait` false it leaves out what belongs to accounts that somebody else holds at the moment, and says so by `locked: false`. */
  readonly run: (items: readonly I[], options: { readonly wait: boolean }) => Promise<readonly O[]>;
  /** What no two items of one statement may have in common; nothing unless given. */
  readonly keyOf?: (item: I) => unknown;
}

/** Whether the statement got hold of an item's account. */
export interface Locked {
  readonly locked: boolean;
}

const MAX_ITEMS = 200;
const LANES = 2;

/**
 * Runs what changes accounts many at a time: what arrives while a statement is running goes with the next one. The common
 * lanes never wait for an account: items of one that is held by somebody else go to a lane of that account, which waits. A
 * statement that fails over one of its rows is repeated item by item, so that a bad row hurts nobody else.
 */
export function createAccountLanes<I, O extends Locked>(
  options: AccountLanesOptions<I, O>,
): (item: I) => Promise<O> {
  const { accountOf, run, keyOf } = options;
  const batchOf = (wait: boolean, lanes: number): MicroBatch<I, O> =>
    createMicroBatch<I, O>({
      run: (items) => run(items, { wait }),
      maxItems: MAX_ITEMS,
      lanes,
      // A lock that was not to be had and a database that is away are the same for all.
      isShared: (error) => !isOfOneRow(error),
      ...(keyOf && { keyOf }),
    });
  const common = batchOf(false, LANES);
  const ofAccount = new Map<string, MicroBatch<I, O>>();

  const waitFor = async (item: I): Promise<O> => {
    const account = accountOf(item);
    const batch = ofAccount.get(account) ?? batchOf(true, 1);
    ofAccount.set(account, batch);
    try {
      return await batch.add(item);
    } finally {
      if (batch.isIdle()) ofAccount.delete(account);
    }
  };
  return async (item) => {
    try {
      const result = await common.add(item);
      return result.locked ? result : await waitFor(item);
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      const [result] = await run([item], { wait: true });
      if (!result) throw error;
      return result;
    }
  };
}

/** Whether the server refused the values of a row, rather than the moment. */
function isOfOneRow(error: unknown): boolean {
  return !isConnectionTrouble(error) && /^(22|23)/.test(sqlStateOf(error) ?? '');
}
