import { existsSync, readFileSync, writeSync } from 'node:fs';
import { readSettings } from '../../src/env.js';
import { runWorker } from '../../src/run-generation-worker.js';

// The worker as it is, which says at its end for how many milliseconds one turn of its event loop has computed at most.
// Linux counts the time that a thread has really run: on a busy machine the wall clock would blame the worker for others.
const schedule = `/proc/self/task/${process.pid}/schedstat`;
const nowMs = existsSync(schedule)
  ? () => Number(readFileSync(schedule, 'utf8').split(' ')[0]) / 1e6
  : () => performance.now();

await runWorker(readSettings(process.env));
let maxTurnMs = 0;
let last = nowMs();
const turn = (): void => {
  maxTurnMs = Math.max(maxTurnMs, nowMs() - last);
  last = nowMs();
  setTimeout(turn, 1).unref();
};
turn();
process.on('exit', () => writeSync(1, `longest turn: ${maxTurnMs.toFixed(1)} ms\n`));
