// npm run stub-upstreams: the protocols of the providers on this machine, to try the gateway and how it handles their faults.
// Options: --port, --host, --full-size, --only-openai.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const { runProgram } = await import('./bootstrap/run-program.mjs');
  return runProgram(['--import', 'tsx', 'packages/stub-upstreams/src/main.ts'], {
    goals: ['install-product'],
  });
});
