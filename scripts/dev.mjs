// pnpm dev: the product from its sources, every program started again about a second after a change. Takes the options of npm start.
import { main } from './bootstrap/check-node.mjs';

// A developer waits for the restart, and no client for the requests that it cuts short.
process.env.SHUTDOWN_GRACE_MS ??= '500';
await main(async () => {
  const { runStack } = await import('./bootstrap/run-stack.mjs');
  return runStack({ command: 'pnpm dev', apps: 'watchedApps', build: ['build-stack'] });
});
process.exit();
