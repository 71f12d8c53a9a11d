import { spawn } from 'node:child_process';
import path from 'node:path';
import { bootstrap } from './bootstrap.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Installs what is missing and runs the stub from its sources until it is stopped; answers with its exit code. */
export async function run() {
  await bootstrap({ goals: ['install'], out: process.stderr });
  const program = path.join(root, 'packages/testing/src/stub-upstreams/main.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
