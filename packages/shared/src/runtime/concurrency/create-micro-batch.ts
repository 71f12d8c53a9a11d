import { spreadOverTurns } from './spread-over-turns.js';

/** Terms of a micro-batch. */
export interface MicroBatchOptions<I, O> {
  /** Runs some items at once; its results are in the order of the items. One that is a promise is awaited by its caller alone. */
  readonly run: (items: readonly I[]) => Promise<readonly (O | Promise<O>)[]>;
  readonly maxItems: number;
  /** Weight of an item, and the maximum of a batch of several; an item alone may weigh more. No limit unless given. */
  readonly weight?: { readonly max: number; readonly weigh: (item: I) => number };
  /** Number of batches that may run at a time. */
  readonly concurrency: number;
  /** Longest wait of items for a running batch before another one starts, in milliseconds; 0 unless given. */
  readonly maxWaitMs?: number;
  /**
   * True if the work that follows from a result takes a while. Then few callers get theirs in each turn of the event loop,
   * otherwise all in one.
   */
  readonly spreadsResults?: boolean;
  /** True if a failure concerns the waiting items too; then they fail with it. */
  readonly isShared: (error: unknown) => boolean;
  /** Returns a value that no two items of one batch may share; no restriction unless given. */
  readonly getKey?: (item: I) => unknown;
  /** Returns a value that no two batches that run at the same time may share; no restriction unless given. */
  readonly getGroup?: (item: I) => unknown;
}

/** Batcher that runs items together. */
export interface MicroBatch<I, O> {
  /** The result of one item; rejects with what its batch failed with. */
  readonly add: (item: I) => Promise<O>;
  readonly isIdle: () => boolean;
}

interface Entry<I, O> {
  readonly item: I;
  readonly resolve: (result: O | Promise<O>) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a micro-batch: a single item runs at once, items that arrive during a batch go with the next one. */
export function createMicroBatch<I, O>(options: MicroBatchOptions<I, O>): MicroBatch<I, O> {
  const { run, maxItems, concurrency, maxWaitMs = 0, isShared, getKey, getGroup, weight } = options;
  let waiting: Entry<I, O>[] = [];
  const runningGroups = new Set<unknown>();
  let running = 0;
  let opening: NodeJS.Timeout | undefined;

  const getGroups = (entries: readonly Entry<I, O>[]): readonly unknown[] =>
    getGroup ? entries.map(({ item }) => getGroup(item)) : [];
  /**
   * Takes the next batch, in the order of waiting. An item whose key is already in it keeps waiting, and so does one of a group
   * that a running batch has.
   */
  const take = (): readonly Entry<I, O>[] => {
    const free =
      getGroup && runningGroups.size > 0
        ? waiting.filter(({ item }) => !runningGroups.has(getGroup(item)))
        : waiting;
    const next = (getKey ? distinct(free, getKey) : free).slice(0, maxItems);
    const batch = weight ? takeWeight(next, weight) : next;
    const isPrefix = batch.at(-1) === waiting[batch.length - 1];
    const taken = new Set(isPrefix ? [] : batch);
    waiting = isPrefix ? waiting.slice(batch.length) : waiting.filter((entry) => !taken.has(entry));
    clearTimeout(opening);
    opening = undefined;
    return batch;
  };
  /** Begins to work on what waits, now or when it has waited long enough. */
  const open = (): void => {
    if (running === concurrency || waiting.length === 0) {
      return;
    }
    if (running === 0 || maxWaitMs === 0) {
      void runBatches();
    } else {
      opening ??= setTimeout(() => {
        opening = undefined;
        if (waiting.length > 0) {
          void runBatches();
        }
      }, maxWaitMs);
    }
  };
  const runBatch = async (batch: readonly Entry<I, O>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length) {
        throw new Error('a batch gave a wrong number of results');
      }
      // The next batch does not wait until all of these have their results.
      handOut(batch, results, options.spreadsResults ?? false);
    } catch (error) {
      const failed = isShared(error) ? [...batch, ...waiting.splice(0)] : batch;
      for (const { reject } of failed) {
        reject(error);
      }
    }
  };
  const runBatches = async (): Promise<void> => {
    running++;
    // Items that arrive in this turn of the event loop go together, from all callers.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = take();
      if (batch.length === 0) {
        // Items that still wait are left to the batch that has their groups.
        break;
      }
      const groups = getGroups(batch);
      for (const group of groups) {
        runningGroups.add(group);
      }
      open();
      await runBatch(batch);
      for (const group of groups) {
        runningGroups.delete(group);
      }
    }
    running--;
  };

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        open();
      }),
    isIdle: () => running === 0 && waiting.length === 0,
  };
}

function handOut<I, O>(
  batch: readonly Entry<I, O>[],
  results: readonly (O | Promise<O>)[],
  isSpread: boolean,
): void {
  const handOne = ([i, { resolve }]: readonly [number, Entry<I, O>]): void =>
    resolve(results[i] as O | Promise<O>);
  if (!isSpread) {
    [...batch.entries()].forEach(handOne);
    return;
  }
  for (const result of results) {
    if (result instanceof Promise) {
      // Its caller learns of a failure in a later turn; until then nobody handles it.
      result.catch(() => undefined);
    }
  }
  void spreadOverTurns([...batch.entries()], handOne);
}

/** Returns the first entries whose weights add up to the maximum, the first of all whatever it weighs. */
function takeWeight<I, O>(
  entries: readonly Entry<I, O>[],
  { max, weigh }: NonNullable<MicroBatchOptions<I, O>['weight']>,
): readonly Entry<I, O>[] {
  let sum = 0;
  const end = entries.findIndex(({ item }, i) => {
    sum += weigh(item);
    return i > 0 && sum > max;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

function distinct<I, O>(entries: readonly Entry<I, O>[], getKey: (item: I) => unknown): Entry<I, O>[] {
  const seen = new Set<unknown>();
  return entries.filter(({ item }) => {
    const key = getKey(item);
    if (seen.has(key)) {
      return false;
    }
    seen.add(key);
    return true;
  });
}
