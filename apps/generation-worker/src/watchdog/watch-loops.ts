/** Watch over loops; names one that makes no progress. */
export interface LoopWatch {
  /** Records that a loop has ended a round or an item, with or without success. */
  readonly noteProgress: (loop: string) => void;
  /** Name of a loop without progress for too long, or null. */
  readonly hung: () => string | null;
}

/** Creates the watch over some loops. Each must make progress at least every `withinMs`, which is longer than any single item may take. */
export function watchLoops(
  loops: readonly string[],
  { withinMs, now }: { readonly withinMs: number; readonly now: () => number },
): LoopWatch {
  const lastAt = new Map(loops.map((loop) => [loop, now()]));
  return {
    noteProgress: (loop) => void lastAt.set(loop, now()),
    hung: () => [...lastAt].find(([, at]) => now() - at > withinMs)?.[0] ?? null,
  };
}
