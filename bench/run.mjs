// npm run bench: installs and builds what has changed, then measures. Arguments are those of src/main.ts.
import { main } from '../scripts/bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram } = await import('../scripts/bootstrap/run-program.mjs');
  return runProgram(['--import', 'tsx', 'bench/src/main.ts']);
});
