import { createHash } from 'node:crypto';

/** Random numbers from 0 to 1 that are the same for the same seed. */
export type SeededRandom = () => number;

/** Creates seeded random numbers (mulberry32 over a hash of the seed): good enough for images, and the same everywhere. */
export function createRandom(...seed: readonly (string | number)[]): SeededRandom {
  let state = createHash('sha256').update(JSON.stringify(seed)).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
