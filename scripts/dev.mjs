// pnpm dev: the product from its sources, every program started again about a second after a change. Takes the options of npm start.
import { main } from './check-node.mjs';

// A developer waits for the restart, nobody for the requests that it cuts short.
process.env.SHUTDOWN_GRACE_MS ??= '500';
await main(async () => {
  const { runFromHere } = await import('./run-stack.mjs');
  return {
    run: () =>
      runFromHere({ goals: ['install', 'generate', 'build-stack', 'dashboard'], apps: 'watchedApps' }),
  };
});
process.exit();
