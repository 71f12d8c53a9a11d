import {
  createMicroBatch,
  type MicroBatch,
  type MicroBatchOptions,
} from '../../runtime/concurrency/index.js';
import { getSqlState, isConnectionError } from './database-error.js';
import type { Batch, Statement } from './statement.js';

/** Runs a statement and returns its rows. */
export type Run = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

type Input = Readonly<Record<string, unknown>>;
type Rows = readonly Readonly<Record<string, unknown>>[];
type Add = (input: Input) => Promise<Rows>;
type BatchOptions = Omit<MicroBatchOptions<Input, Rows>, 'run' | 'getKey'>;

// Consecutive statements serve more callers each; the second one at a time is for when something holds up the first.
const IN_TURN = { concurrency: 2, maxWaitMs: 25 };
const BY_ROW: BatchOptions = {
  maxItems: 64,
  ...IN_TURN,
  spreadsResults: true,
  isShared: isConnectionError,
};
/** Maximum of characters in the texts of one statement. Long rows go a few at a time, and delay the others less. */
const WEIGHT = { max: 1_000_000, weigh: countCharacters };
/** SQLSTATEs that are about one of the rows: bad values, broken rules, a row that another session holds, a deadlock. */
const OF_ONE_ROW = /^(22|23|55P03|40P01)/;

const MAX_OF_ACCOUNTS = 200;
/** How often an input row tries to go with the others before it goes to the queue of its account: most are held for milliseconds. */
const COMMON_TRIES = 3;
/** SQLSTATEs of a common statement after which its accounts are tried one by one: the above, and a statement that took too long. */
const OF_ONE_BATCH = /^(22|23|55P03|40P01|57014)/;
/** SQLSTATEs of an account's statement after which its rows are tried one by one; a lock or a timeout would meet each of them. */
const OF_ONE_ROW_OF_ACCOUNT = /^(22|23|40P01)/;

/**
 * Lets callers of statements with `batch` share them: a single call runs at once, calls that arrive meanwhile join the
 * next statement. Each caller gets its own rows. A shared statement that fails over one of its rows is repeated for
 * each caller alone: a bad or locked row affects no other caller.
 */
export function batchStatements(run: Run): Run {
  const known = new Map<string, Add>();

  const getBatcher = (statement: Statement, batch: Batch): Add => {
    const add =
      known.get(statement.name) ??
      (batch.waitingText === undefined
        ? batchByRow(run, statement, batch)
        : batchByAccount(run, statement, { ...batch, waitingText: batch.waitingText }));
    known.set(statement.name, add);
    return add;
  };
  return async <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
    const { batch } = statement;
    if (!batch) {
      return run<Row>(statement, values);
    }
    return (await getBatcher(statement, batch)(values[0] as Input)) as Row[];
  };
}

function batchByRow(run: Run, statement: Statement, { distinct }: Batch): Add {
  const runAlone = async (input: Input): Promise<Rows> =>
    (await runBatch(run, statement, [input], distinct))[0] ?? [];
  const batch = createMicroBatch<Input, Rows>({
    ...BY_ROW,
    weight: WEIGHT,
    ...buildKeyOption(distinct),
    run: async (inputs) => {
      try {
        return await runBatch(run, statement, inputs, distinct);
      } catch (error) {
        if (inputs.length === 1 || !OF_ONE_ROW.test(getSqlState(error) ?? '')) {
          throw error;
        }
        return inputs.map(runAlone);
      }
    },
  });
  return batch.add;
}

/**
 * Shares a statement that locks accounts. The common statements never wait for an account: rows of one that another session holds
 * go to a queue of that account, which waits. So do all rows of a statement that failed, and there each account fails alone.
 */
function batchByAccount(
  run: Run,
  statement: Statement,
  { distinct, waitingText }: Batch & { readonly waitingText: string },
): Add {
  const waiting: Statement = { name: `${statement.name}-waiting`, text: waitingText };
  const createQueue = (
    form: Statement,
    options: Pick<MicroBatchOptions<Input, Rows>, 'concurrency' | 'maxWaitMs' | 'getGroup' | 'isShared'>,
  ): MicroBatch<Input, Rows> =>
    createMicroBatch({
      maxItems: MAX_OF_ACCOUNTS,
      weight: WEIGHT,
      spreadsResults: true,
      ...buildKeyOption(distinct),
      ...options,
      run: (inputs) => runBatch(run, form, inputs, distinct),
    });
  const common = createQueue(statement, {
    ...IN_TURN,
    // Two statements of this process never want the same account.
    getGroup: ({ account }) => account,
    // An error of the server concerns one statement. A connection that is lost, or not available in time, concerns all
    // waiting callers.
    isShared: (error) => isConnectionError(error) || getSqlState(error) === undefined,
  });
  const ofAccount = new Map<unknown, MicroBatch<Input, Rows>>();

  /** The rows of an input row whose account was locked; null when it was not. */
  const tryCommon = async (input: Input): Promise<Rows | null> => {
    for (let tries = 0; tries < COMMON_TRIES; tries++) {
      const rows = await common.add(input);
      if (rows[0]?.locked === true) {
        return rows;
      }
    }
    return null;
  };
  const waitFor = async (input: Input): Promise<Rows> => {
    const queue =
      ofAccount.get(input.account) ??
      createQueue(waiting, {
        concurrency: 1,
        isShared: (error) => !OF_ONE_ROW_OF_ACCOUNT.test(getSqlState(error) ?? ''),
      });
    ofAccount.set(input.account, queue);
    try {
      return await queue.add(input);
    } finally {
      if (queue.isIdle()) {
        ofAccount.delete(input.account);
      }
    }
  };
  return async (input) => {
    try {
      const rows = await tryCommon(input);
      if (rows) {
        return rows;
      }
    } catch (error) {
      if (!OF_ONE_BATCH.test(getSqlState(error) ?? '')) {
        throw error;
      }
    }
    try {
      return await waitFor(input);
    } catch (error) {
      if (!OF_ONE_ROW_OF_ACCOUNT.test(getSqlState(error) ?? '')) {
        throw error;
      }
      return (await runBatch(run, waiting, [input], distinct))[0] ?? [];
    }
  };
}

/** Runs a statement for some input rows; returns the rows of each of them. */
async function runBatch(
  run: Run,
  { name, text }: Statement,
  inputs: readonly Input[],
  distinct: string | undefined,
): Promise<readonly Rows[]> {
  const order = inputs.map((_, i) => i);
  // In one order in all processes, so that two statements do not wait for each other's rows.
  if (distinct !== undefined) {
    order.sort((a, b) => (String(inputs[a]?.[distinct]) < String(inputs[b]?.[distinct]) ? -1 : 1));
  }
  const json = JSON.stringify(
    order.map((i) => inputs[i]),
    (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  );
  const rows = await run<{ readonly place: bigint }>({ name, text }, [json]);
  const found = inputs.map((): Record<string, unknown>[] => []);
  for (const { place, ...row } of rows) {
    found[order[Number(place) - 1] ?? -1]?.push(row);
  }
  return found;
}

function buildKeyOption(distinct: string | undefined): Pick<MicroBatchOptions<Input, Rows>, 'getKey'> {
  return distinct === undefined ? {} : { getKey: (input) => input[distinct] };
}

/** Returns the number of characters in the texts of a value and of the lists in it. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') {
    return value.length;
  }
  if (typeof value !== 'object' || value === null) {
    return 0;
  }
  let sum = 0;
  for (const part of Object.values(value)) {
    sum += countCharacters(part);
  }
  return sum;
}
