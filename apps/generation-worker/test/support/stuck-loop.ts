import { guardEventLoop } from '../../src/watchdog/guard-event-loop.js';

// A program whose event loop gets stuck.
guardEventLoop({ everyMs: 100, maxMissedBeats: 5 });
setTimeout(() => {
  for (;;) {}
}, 1_000);
