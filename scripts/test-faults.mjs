// npm run test:faults: the fault laboratory. Options: --seed N, --only NAME…, --soak MINUTES, --json, --record.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram, typescript } = await import('./bootstrap/run-program.mjs');
  return runProgram(typescript('tests/faults/main.ts'));
});
