// npm run bench: installs and builds what has changed, then measures. Scenes and options: options.mjs.
import { main } from '../scripts/bootstrap/check-node.mjs';

await main(async () => {
  const { readBenchOptions } = await import('./options.mjs');
  if (readBenchOptions(process.argv.slice(2)) === null) {
    return 0;
  }
  const { runProgram } = await import('../scripts/bootstrap/run-program.mjs');
  return runProgram(['--import', 'tsx', 'bench/src/main.ts']);
});
