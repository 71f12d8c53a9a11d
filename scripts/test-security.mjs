// npm run test:security: fuzzing of every endpoint (with schemathesis where there is Python), planted secrets, dependency audit.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram, typescript } = await import('./bootstrap/run-program.mjs');
  return runProgram(typescript('tests/faults/security/main.ts'));
});
