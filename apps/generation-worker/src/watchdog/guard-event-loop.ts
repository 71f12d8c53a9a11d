import { Worker } from 'node:worker_threads';

/** Options of the event loop guard. */
export interface LoopGuardOptions {
  readonly everyMs: number;
  /** Number of consecutive checks without a beat after which the process is killed. */
  readonly maxMissedBeats: number;
}

// A timer cannot notice that timers no longer fire, so a thread checks a number that a timer increments. The thread
// counts checks, not time: a process that was stopped for an hour does not count as hung when it continues.
const THREAD = `
const { workerData: { beats, everyMs, maxMissedBeats } } = require('node:worker_threads');
let last = -1;
let missedBeats = 0;
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  missedBeats = beat === last ? missedBeats + 1 : 0;
  last = beat;
  if (missedBeats < maxMissedBeats) return;
  require('node:fs').writeSync(2, 'the event loop is stuck, ending the process\\n');
  process.kill(process.pid, 'SIGKILL');
}, everyMs);`;

/**
 * Kills this process when its event loop is stuck for good, so that its supervisor starts a fresh one. Keeps no process alive
 * by itself.
 */
export function guardEventLoop({ everyMs, maxMissedBeats }: LoopGuardOptions): {
  readonly stop: () => Promise<void>;
} {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => Atomics.add(beats, 0, 1), everyMs / 2);
  timer.unref();
  const thread = new Worker(THREAD, { eval: true, workerData: { beats, everyMs, maxMissedBeats } });
  thread.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await thread.terminate();
    },
  };
}
