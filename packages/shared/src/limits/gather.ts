/** Gathers what is asked for in one turn of the event loop, so that it is done together. */
export type Gather<I, O> = (item: I) => Promise<O>;

interface Entry<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes a gathering: at the end of a turn its items go together, at most `maxItems` at once; `run` gives a result for each, in their order. What `run` rejects with meets all of them. */
export function createGather<I, O>({
  maxItems,
  run,
}: {
  readonly maxItems: number;
  readonly run: (items: readonly I[]) => Promise<readonly O[]>;
}): Gather<I, O> {
  let gathered: Entry<I, O>[] = [];
  const runSome = async (entries: readonly Entry<I, O>[]): Promise<void> => {
    try {
      const results = await run(entries.map(({ item }) => item));
      for (const [i, { resolve }] of entries.entries()) resolve(results[i] as O);
    } catch (error) {
      for (const { reject } of entries) reject(error);
    }
  };
  const runAll = (): void => {
    const entries = gathered;
    gathered = [];
    for (let at = 0; at < entries.length; at += maxItems) void runSome(entries.slice(at, at + maxItems));
  };
  return (item) =>
    new Promise((resolve, reject) => {
      // After the requests that the same poll has brought were read, before the next poll.
      if (gathered.length === 0) setImmediate(runAll);
      gathered.push({ item, resolve, reject });
    });
}
