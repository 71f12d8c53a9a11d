// npm run test:upgrade: the rolling upgrade from each of the last two releases to this checkout, under load. Options: --seconds N, --from RELEASE.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram, typescript } = await import('./bootstrap/run-program.mjs');
  return runProgram(typescript('tests/upgrade/main.ts'));
});
