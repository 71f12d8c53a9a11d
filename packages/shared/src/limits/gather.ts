/** Gathers what is asked for meanwhile, so that it is done together. */
export type Gather<I, O> = (item: I) => Promise<O>;

interface Entry<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a gathering: what is asked for in one turn of the event loop, or while a run is under way, goes together, at most
 * `maxItems` at once; `run` gives a result for each, in their order. What `run` rejects with meets all of them.
 */
export function createGather<I, O>({
  maxItems,
  run,
}: {
  readonly maxItems: number;
  readonly run: (items: readonly I[]) => Promise<readonly O[]>;
}): Gather<I, O> {
  let gathered: Entry<I, O>[] = [];
  let isRunning = false;
  const runSome = async (entries: readonly Entry<I, O>[]): Promise<void> => {
    try {
      const results = await run(entries.map(({ item }) => item));
      for (const [i, { resolve }] of entries.entries()) resolve(results[i] as O);
    } catch (error) {
      for (const { reject } of entries) reject(error);
    }
  };
  const runAll = async (): Promise<void> => {
    // One run after the other: several at a time would each be smaller, and cost more than the wait.
    while (gathered.length > 0) {
      const entries = gathered;
      gathered = [];
      const parts: Promise<void>[] = [];
      for (let at = 0; at < entries.length; at += maxItems)
        parts.push(runSome(entries.slice(at, at + maxItems)));
      await Promise.all(parts);
    }
    isRunning = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // After the requests that the same poll has brought were read, before the next poll.
      setImmediate(() => void runAll());
    });
}
