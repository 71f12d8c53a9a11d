import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { parseStackOptions } from '../options/stack-options.mjs';
import { bootstrap } from './bootstrap.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CACHE = path.join(ROOT, '.cache');
/** Code that V8 compiled at earlier starts. Each start of a program takes a fifth less of the processor with it. */
const COMPILED = path.join(CACHE, 'compiled');

/**
 * Brings the working copy up to date and runs the product from it until it is stopped; returns the exit code.
 *
 * @param {{ command: string, apps: 'compiledApps' | 'watchedApps', build: string[] | null, showsLoginsOnce?: boolean }} options
 *   Call in `--help`, programs to run, and steps that compile them; no steps (null) where everything is compiled.
 *   With `showsLoginsOnce`, passwords and key are shown at the first start only.
 */
export async function runStack({ command, apps, build, showsLoginsOnce = false }) {
  const options = parseStackOptions(command, process.argv.slice(2));
  if (options === null) {
    return 0;
  }
  // A closed terminal or pipe must not take the stack down halfway: the signal that comes with it stops it in order.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  const pages = options.dashboard ? ['dashboard'] : [];
  if (build !== null) {
    await bootstrap({ goals: ['install-product', 'generate', ...build, ...pages], out: process.stdout });
  }
  enableCompileCache(COMPILED);
  const stack = await import('../../packages/local-stack/dist/index.js');
  const { readEnvironment } = await import('../../packages/shared/dist/runtime/config/index.js');
  await stack.runStack({
    root: ROOT,
    ...options,
    env: { NODE_COMPILE_CACHE: COMPILED, ...readEnvironment(process.env) },
    cacheDir: CACHE,
    commands: stack[apps](ROOT),
    showsLoginsOnce,
    out: process.stdout,
  });
  return 0;
}
