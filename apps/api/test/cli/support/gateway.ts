import { execFile } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';

/** Exit code and output of a run of the command line. */
export interface GatewayRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the compiled command line as a process of its own, with nothing but these settings. */
export function gateway(env: Readonly<Record<string, string>>, ...args: string[]): Promise<GatewayRun> {
  const root = repositoryRoot();
  const main = path.join(root, 'apps/api/dist/cli/main.js');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { cwd: root, env: { PATH: process.env.PATH ?? '', DATA_DIR: '/nonexistent', ...env }, timeout: 25_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      },
    );
  });
}
