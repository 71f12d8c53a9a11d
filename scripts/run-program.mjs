import { spawn } from 'node:child_process';
import path from 'node:path';
import { bootstrap, everything } from './bootstrap.mjs';

const root = path.resolve(import.meta.dirname, '..');

/** Brings the working copy up to date and runs a TypeScript program of it with our own arguments; signals are its own to handle. */
export async function runProgram(file) {
  await bootstrap({ goals: everything, out: process.stderr });
  const args = ['--conditions=@image-gateway/source', '--import', 'tsx', file, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  // Ctrl-C reaches the program by itself, since it is in our process group.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}
