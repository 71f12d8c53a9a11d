// npm run test:upgrade: the upgrade from the last release with a stop, and between two builds of this checkout under load.
// Options: --seconds N, --only PART.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram, typescript } = await import('./bootstrap/run-program.mjs');
  return runProgram(typescript('tests/upgrade/main.ts'));
});
