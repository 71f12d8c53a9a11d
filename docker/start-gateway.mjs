// Starts the whole gateway from the files of its image, as npm start does from a working copy.
import { runStack } from '../scripts/bootstrap/run-stack.mjs';

try {
  process.exitCode = await runStack({
    command: 'docker run IMAGE node docker/start-gateway.mjs',
    apps: 'compiledApps',
    build: null,
    showsLoginsOnce: true,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
process.exit();
