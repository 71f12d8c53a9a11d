// Loaded before a program of the product: a clock that is wrong, and a way to block its event loop.
import { performance } from 'node:perf_hooks';

const shiftMs = Number(process.env.FAULTS_CLOCK_SHIFT_MS ?? 0);
const blockMs = Number(process.env.FAULTS_BLOCK_MS ?? 0);

if (shiftMs !== 0) {
  const RightDate = Date;
  globalThis.Date = class extends RightDate {
    /** @param {any[]} given */
    constructor(...given) {
      if (given.length === 0) {
        super(RightDate.now() + shiftMs);
      }
      // @ts-expect-error all the forms of Date's constructor are passed on as they are
      else {
        super(...given);
      }
    }

    static now() {
      return RightDate.now() + shiftMs;
    }
  };
}

process.on('SIGUSR2', () => {
  const until = performance.now() + blockMs;
  while (performance.now() < until) {}
});
