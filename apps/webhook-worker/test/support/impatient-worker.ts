import { readSettings } from '../../src/env.js';
import { runWorker } from '../../src/run-worker.js';

// The worker as it is, but with the patience that the first argument names, in milliseconds.
const patienceMs = Number(process.argv[2]);
await runWorker(readSettings(process.env), {
  watchEveryMs: patienceMs / 5,
  hungAfterMs: patienceMs,
  queueStuckAfterMs: patienceMs,
});
