// npm run gateway: the operator's command line. Standard output holds nothing but its own output.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram } = await import('./bootstrap/run-program.mjs');
  return runProgram(['apps/api/dist/cli/main.js'], { goals: ['install-product', 'generate', 'build'] });
});
