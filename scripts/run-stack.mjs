import path from 'node:path';
import { bootstrap } from './bootstrap.mjs';

const root = path.resolve(import.meta.dirname, '..');

/**
 * Brings the working copy up to date and runs the product from it until it is stopped; answers with the exit code.
 * @param {{ goals: string[], apps: 'compiledApps' | 'watchedApps' }} options what to build first, and which programs to run
 */
export async function runFromHere({ goals, apps }) {
  // A closed terminal or pipe must not take the stack down halfway: the signal that comes with it stops it in order.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  await bootstrap({ goals, out: process.stdout });
  const stack = await import('../packages/local-stack/dist/index.js');
  await stack.runStack({
    root,
    argv: process.argv.slice(2),
    env: process.env,
    cacheDir: path.join(root, '.cache'),
    commands: stack[apps](root),
    out: process.stdout,
  });
  return 0;
}
