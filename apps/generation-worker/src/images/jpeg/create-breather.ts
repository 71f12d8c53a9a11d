import { setImmediate as nextTurn } from 'node:timers/promises';

/** Gives other work on this thread its turn when this work has had it for a while. */
export type Breathe = () => Promise<void>;

/** Makes the pauses of a long computation: waiting for one takes no time until `sliceMs` milliseconds have gone by. */
export function createBreather(sliceMs: number): Breathe {
  let sliceEndsAt = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < sliceEndsAt) return;
    await nextTurn();
    sliceEndsAt = performance.now() + sliceMs;
  };
}
