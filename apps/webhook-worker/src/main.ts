import { refuseOldNode } from '@image-gateway/shared/lifecycle';
import { readSettings } from './env.js';
import { runWorker } from './run-webhook-worker.js';

async function main(): Promise<void> {
  refuseOldNode();
  await runWorker(readSettings(process.env));
}

main().catch((error: unknown) => {
  process.stderr.write(
    `The webhook worker could not start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
});
