// Installs, generates and compiles what is missing or has changed, as npm start does before it starts anything.
import { main } from './check-node.mjs';

await main(async () => {
  const { bootstrap, everything } = await import('./bootstrap.mjs');
  return {
    run: async () => {
      await bootstrap({ goals: everything, out: process.stdout });
      return 0;
    },
  };
});
