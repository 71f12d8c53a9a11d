import { setFlagsFromString } from 'node:v8';
import { ConfigError } from '@image-gateway/shared/config';
import { refuseOldNode } from '@image-gateway/shared/lifecycle';
import { readSettings, type Settings } from './env.js';
import { runWorker } from './run-generation-worker.js';

/** Reads the settings or ends the process with one clear message. */
function settingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

// V8 counts objects of the age of a task as old, and lets the heap grow for thousands of tasks before it collects them.
setFlagsFromString('--heap-growing-percent=40');
// Images lie outside the heap. By default every 64 MiB of them start a collection of the whole heap. With this flag they count
// as growth, which takes a third less CPU in a burst. V8 has it since Node 24.
if (Number.parseInt(process.versions.node, 10) >= 24) {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}

async function main(): Promise<void> {
  refuseOldNode();
  await runWorker(settingsOrExit());
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The generation worker could not start: ${message}\n`);
  process.exit(1);
});
