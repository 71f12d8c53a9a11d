/** Things that rest for a while, by name. */
export interface Rests {
  /** Lets something rest for that long at least. */
  readonly begin: (name: string, forMs: number) => void;
  /** How long it still rests, in milliseconds; 0 when it does not. */
  readonly leftMs: (name: string) => number;
  /** What rests under a prefix: the rest of its name, and how long it still rests. */
  readonly under: (prefix: string) => readonly (readonly [string, number])[];
}

/** Makes an empty set of resting things; a rest that is over is forgotten. */
export function createRests(now: () => number): Rests {
  const until = new Map<string, number>();
  const leftMs = (name: string): number => {
    const left = (until.get(name) ?? 0) - now();
    if (left <= 0) until.delete(name);
    return Math.max(0, left);
  };
  return {
    begin: (name, forMs) => void until.set(name, Math.max(until.get(name) ?? 0, now() + forMs)),
    leftMs,
    under: (prefix) =>
      [...until.keys()].flatMap((name) =>
        name.startsWith(prefix) && leftMs(name) > 0
          ? [[name.slice(prefix.length), leftMs(name)] as const]
          : [],
      ),
  };
}
