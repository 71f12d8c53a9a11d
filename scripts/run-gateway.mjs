import { spawn } from 'node:child_process';
import path from 'node:path';
import { bootstrap } from './bootstrap.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Builds what is missing (progress on standard error), runs the command line in this terminal, answers with its exit code. */
export async function run() {
  await bootstrap({ goals: ['install', 'generate', 'build'], out: process.stderr });
  const program = path.join(root, 'apps/api/dist/cli/main.js');
  const child = spawn(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches the child through the terminal; we wait for what it makes of it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
