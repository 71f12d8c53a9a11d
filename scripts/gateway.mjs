#!/usr/bin/env node
// npm run gateway and npx gateway: the operator's command line. Standard output holds nothing but its own output.
import { main } from './bootstrap/check-node.mjs';

await main(async () => {
  const [{ bootstrap }, { enableCompileCache }, path] = await Promise.all([
    import('./bootstrap/bootstrap.mjs'),
    import('node:module'),
    import('node:path'),
  ]);
  await bootstrap({ goals: ['install-product', 'generate', 'build'], out: process.stderr });
  const root = path.resolve(import.meta.dirname, '..');
  // In this process, and with what V8 compiled the last time: a process of its own takes longer to start than most commands to run.
  enableCompileCache(path.join(root, '.cache/compiled'));
  await import('../apps/api/dist/cli/main.js');
  return process.exitCode ?? 0;
});
