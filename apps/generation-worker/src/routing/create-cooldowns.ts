/** Cooldowns by name. */
export interface Cooldowns {
  /** Starts a cooldown, or extends it to at least that time from now. */
  readonly begin: (name: string, forMs: number) => void;
  /** Returns the remaining milliseconds of a cooldown, 0 without one. */
  readonly leftMs: (name: string) => number;
  /** Returns the cooldowns whose names begin with a prefix: the remainder of each name, and its remaining milliseconds. */
  readonly under: (prefix: string) => readonly (readonly [string, number])[];
}

/** Creates an empty set of cooldowns; an expired one is removed. */
export function createCooldowns(now: () => number): Cooldowns {
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
