// npm run test:mutants: deliberate defects, each in a copy of the checkout, each of which the fault laboratory or the simulation must find.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram, typescript } = await import('./bootstrap/run-program.mjs');
  return runProgram(typescript('tests/faults/mutants/main.ts'));
});
