import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { repositoryRoot } from './repository-root.js';

/** A program in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** Exit code and signal. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  readonly output: () => string;
  readonly errors: () => string;
}

const running = new Set<ChildProcess>();

/**
 * Starts a TypeScript program of a package (such as `apps/api`) with these arguments and nothing but these settings. A program of the
 * product is the compiled one, which starts in a fraction of the time; one of the tests runs from its source.
 */
export function startProgram(
  folder: string,
  [file, ...args]: readonly [file: string, ...args: string[]],
  env: Readonly<Record<string, string>>,
): Program {
  const cwd = path.join(repositoryRoot(), folder);
  const compiled = /^src\/(.*)\.ts$/.exec(file)?.[1];
  const program =
    compiled === undefined
      ? ['--conditions=@image-gateway/source', '--import', 'tsx', file]
      : [`dist/${compiled}.js`];
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
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

/** Kills the programs that this test file started and that still run. */
export function killPrograms(): void {
  for (const child of running) {
    child.kill('SIGKILL');
  }
}
