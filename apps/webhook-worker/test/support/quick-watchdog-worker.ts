import { readSettings } from '../../src/env.js';
import { runWorker } from '../../src/run-webhook-worker.js';

// The worker as it is, but with the watchdog times that the first argument names, in milliseconds.
const limitMs = Number(process.argv[2]);
await runWorker(readSettings(process.env), {
  checkEveryMs: limitMs / 5,
  hungAfterMs: limitMs,
  queueStuckAfterMs: limitMs,
});
