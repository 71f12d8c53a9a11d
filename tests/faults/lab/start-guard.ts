import { spawn } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';

/** Kills the processes that it was told of should the laboratory itself be killed. */
export interface Guard {
  readonly add: (pid: number) => void;
  readonly remove: (pid: number) => void;
  readonly close: () => void;
}

/** Starts the guard, a small process of its own that the local stack uses too. */
export function startGuard(): Guard {
  const file = path.join(repositoryRoot(), 'scripts/process/guard.mjs');
  const child = spawn(process.execPath, [file, '1000'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => child.stdin.destroy());
  child.unref();
  return {
    add: (pid) => child.stdin.write(`+${pid} app SIGKILL\n`),
    remove: (pid) => child.stdin.write(`-${pid}\n`),
    close: () => child.stdin.end('quit\n'),
  };
}
