import { createMicroBatch, type MicroBatch } from '../batching/index.js';
import { isConnectionTrouble, sqlStateOf } from '../db/index.js';

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
/** How often an item tries to go with the others before it goes to the lane of its account: most hold one for milliseconds. */
const COMMON_TRIES = 3;

/**
 * Runs what changes accounts many at a time: what arrives while a statement is running goes with the next one. The common
 * lanes never wait for an account: items of one that is held by somebody else go to a lane of that account, which waits. A
 * statement that fails over one of its rows is repeated item by item, so that a bad row hurts nobody else.
 */
export function createAccountLanes<I, O extends Locked>(
  options: AccountLanesOptions<I, O>,
): (item: I) => Promise<O> {
  const { accountOf, run, keyOf } = options;
  const batchOf = (wait: boolean): MicroBatch<I, O> =>
    createMicroBatch<I, O>({
      run: (items) => run(items, { wait }),
      maxItems: MAX_ITEMS,
      lanes: 1,
      // A lock that was not to be had and a database that is away are the same for all.
      isShared: (error) => !isOfOneRow(error),
      ...(keyOf && { keyOf }),
    });
  // All items of an account go the same way, so that two statements of this process never want the same account.
  const common = Array.from({ length: LANES }, () => batchOf(false));
  const laneOf = (item: I): MicroBatch<I, O> => common[sumOf(accountOf(item)) % LANES] as MicroBatch<I, O>;
  const ofAccount = new Map<string, MicroBatch<I, O>>();

  const waitFor = async (item: I): Promise<O> => {
    const account = accountOf(item);
    const batch = ofAccount.get(account) ?? batchOf(true);
    ofAccount.set(account, batch);
    try {
      return await batch.add(item);
    } finally {
      if (batch.isIdle()) ofAccount.delete(account);
    }
  };
  return async (item) => {
    try {
      for (let tries = 0; tries < COMMON_TRIES; tries++) {
        const result = await laneOf(item).add(item);
        if (result.locked) return result;
      }
      return await waitFor(item);
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      const [result] = await run([item], { wait: true });
      if (!result) throw error;
      return result;
    }
  };
}

function sumOf(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
  return sum;
}

/** Whether the server refused the values of a row, rather than the moment. */
function isOfOneRow(error: unknown): boolean {
  return !isConnectionTrouble(error) && /^(22|23)/.test(sqlStateOf(error) ?? '');
}
