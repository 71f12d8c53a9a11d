// npm start: installs and builds what is missing, starts what is not configured, and runs the product until Ctrl-C.
//   npm start -- [--workers N] [--webhook-workers N] [--api N] [--no-dashboard]
import { main } from './check-node.mjs';

await main(async () => {
  const { runFromHere } = await import('./run-stack.mjs');
  const pages = process.argv.includes('--no-dashboard') ? [] : ['dashboard'];
  const goals = ['install', 'generate', 'build', ...pages];
  return { run: () => runFromHere({ goals, apps: 'compiledApps' }) };
});
process.exit();
