/** Notices a loop whose round never ends. */
export interface RoundWatch {
  /** Notes that a round of a loop has ended, well or badly. */
  readonly ended: (loop: string) => void;
  /** Names a loop that has not ended a round for too long, or null. */
  readonly hung: () => string | null;
}

/** Makes the watch over some loops; every one of them ends a round at least every `withinMs`. */
export function watchRounds(
  loops: readonly string[],
  { withinMs, now }: { readonly withinMs: number; readonly now: () => number },
): RoundWatch {
  const lastAt = new Map(loops.map((loop) => [loop, now()]));
  return {
    ended: (loop) => void lastAt.set(loop, now()),
    hung: () => [...lastAt].find(([, at]) => now() - at > withinMs)?.[0] ?? null,
  };
}
