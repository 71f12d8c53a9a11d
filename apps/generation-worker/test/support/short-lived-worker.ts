import { readSettings } from '../../src/env.js';
import { runWorker } from '../../src/run-generation-worker.js';

// Production worker that ends itself after the first argument's number of milliseconds without progress.
const hungAfterMs = Number(process.argv[2]);
await runWorker(readSettings(process.env), {
  checkEveryMs: hungAfterMs / 5,
  hungAfterMs,
  queueStuckAfterMs: hungAfterMs,
});
