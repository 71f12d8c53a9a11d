/** Numbers that a seed decides. */
export interface Random {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** A whole number; both ends can come. */
  readonly int: (from: number, to: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly shuffled: <T>(items: readonly T[]) => T[];
  /** Another sequence of its own, decided by this seed and the name. */
  readonly of: (name: string) => Random;
}

/** Makes the numbers of a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: (items) => {
      const item = items[int(0, items.length - 1)];
      if (item === undefined) {
        throw new RangeError('there is nothing to pick from');
      }
      return item;
    },
    shuffled: (items) => {
      const left = [...items];
      return items.flatMap(() => left.splice(int(0, left.length - 1), 1));
    },
    of: (name) => createRandom([...name].reduce((sum, one) => Math.imul(sum, 31) + one.charCodeAt(0), seed)),
  };
}
