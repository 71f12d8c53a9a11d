// npm start: installs and builds what is missing, starts what is not configured, and runs the product until Ctrl-C.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runStack } = await import('./bootstrap/run-stack.mjs');
  return runStack({ command: 'npm start --', apps: 'compiledApps', build: ['build'] });
});
process.exit();
