// npm run test:upgrade: the rolling upgrade from the last release to this checkout, under load. Options: --seconds N, --from COMMIT.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram, typescript } = await import('./bootstrap/run-program.mjs');
  return runProgram(typescript('tests/upgrade/main.ts'));
});
