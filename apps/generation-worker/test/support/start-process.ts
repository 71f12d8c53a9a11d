import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';

/** A program in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** Exit code and signal. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  readonly output: () => string;
  readonly errors: () => string;
}

const running = new Set<ChildProcess>();

/** Starts a program of this package from its sources, with nothing but these settings. */
export function startProcess(args: readonly string[], env: Record<string, string>): Program {
  const root = path.join(repositoryRoot(), 'apps/generation-worker');
  const child = spawn(process.execPath, ['--conditions=@image-gateway/source', '--import', 'tsx', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as string | null };
  });
  return { child, ended, output: () => output, errors: () => errors };
}

/** Kills what a failed test left. */
export function killProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}
