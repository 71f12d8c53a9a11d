import { spawn } from 'node:child_process';
import path from 'node:path';
import { bootstrap, EVERYTHING } from './bootstrap.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Brings the working copy up to date (progress on standard error), runs a program of it with our own arguments in this terminal,
 * and returns its exit code. Ctrl-C reaches the program by itself, because it is in our process group; we wait for its end.
 * @param {string[]} program arguments for Node.js, with the file relative to the working copy
 * @param {{ goals?: string[] }} [options] goals: the steps that the program needs; all of them by default
 */
export async function runProgram(program, { goals = EVERYTHING } = {}) {
  await bootstrap({ goals, out: process.stderr });
  const child = spawn(process.execPath, [...program, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Arguments with which Node.js runs a TypeScript file against the sources of the packages. @param {string} file */
export const typescript = (file) => ['--conditions=@image-gateway/source', '--import', 'tsx', file];
