import { Worker } from 'node:worker_threads';

/** How the event loop is watched. */
export interface LoopGuardOptions {
  readonly everyMs: number;
  /** How many looks in a row without a sign of life end the process. */
  readonly patience: number;
}

// A timer can't notice that no timer fires any more, so a thread looks at a number that a timer counts up. The thread
// counts looks, not time: a process that was stopped for an hour is not taken for hung the moment it goes on.
const THREAD = `
const { workerData: { beats, everyMs, patience } } = require('node:worker_threads');
let last = -1;
let looks = 0;
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  looks = beat === last ? looks + 1 : 0;
  last = beat;
  if (looks < patience) return;
  require('node:fs').writeSync(2, 'the event loop is stuck, ending the process\\n');
  process.kill(process.pid, 'SIGKILL');
}, everyMs);`;

/** Kills this process when its event loop is stuck for good, so that its supervisor starts a fresh one. Keeps no process alive by itself. */
export function guardEventLoop({ everyMs, patience }: LoopGuardOptions): {
  readonly stop: () => Promise<void>;
} {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => Atomics.add(beats, 0, 1), everyMs / 2);
  timer.unref();
  const thread = new Worker(THREAD, { eval: true, workerData: { beats, everyMs, patience } });
  thread.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await thread.terminate();
    },
  };
}
