import { ConfigError } from '@image-gateway/shared/config';
import { readSettings, type Settings } from './env.js';
import { runWorker } from './run-worker.js';

/** Reads the settings or ends the process with one clear message. */
function settingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

runWorker(settingsOrExit()).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The generation worker could not start: ${message}\n`);
  process.exit(1);
});
