// Installs, generates and compiles what is missing or has changed, as npm start does before it starts anything.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { bootstrap, EVERYTHING } = await import('./bootstrap/bootstrap.mjs');
  await bootstrap({ goals: EVERYTHING, out: process.stdout });
  return 0;
});
