import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { killProcess } from './kill-process.js';

const START_MS = 150_000;
const LOOK_MS = 250;

/** Starts a program and waits until this URL answers well. Throws Error with its last words when it never does. */
export async function startService(
  file: string,
  args: readonly string[],
  { probe, ...options }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly probe: string },
): Promise<ChildProcess> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => (output += part.toString()));
  }
  const isAlive = () =>
    fetch(probe).then(
      ({ ok }) => ok,
      () => false,
    );
  const until = Date.now() + START_MS;
  while (!(await isAlive())) {
    if (child.exitCode !== null || Date.now() > until) {
      await killProcess(child);
      throw new Error(`${file} does not serve: ${output.slice(-2_000)}`);
    }
    await sleep(LOOK_MS);
  }
  return child;
}
