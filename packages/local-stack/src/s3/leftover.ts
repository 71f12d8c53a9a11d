import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stopLeftover } from '../process/stop-leftover.js';
import type { Command } from '../process/supervise.js';

const pidFileOf = (folder: string) => path.join(folder, 'server.pid');

/** Ends a server that an earlier run left behind on this folder; two servers on one set of files would mix them up. */
export async function clearLeftover(folder: string): Promise<void> {
  const file = pidFileOf(folder);
  if (!existsSync(file)) return;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  if (pid > 0) await stopLeftover(pid, (command) => command.includes(folder), 'SIGTERM');
  rmSync(file, { force: true });
}

/** Ends whatever an earlier run left behind for an object store's folder, so that its port is free again. */
export async function clearS3Leftovers(folder: string): Promise<void> {
  for (const kind of ['embedded', 'minio']) await clearLeftover(path.join(folder, kind));
}

/** The same command, whose process writes its own number into the folder before it becomes the server. */
export function withPidFile(command: Command, folder: string): Command {
  const script = 'echo $$ > "$0" && exec "$@"';
  return {
    ...command,
    file: '/bin/sh',
    args: ['-c', script, pidFileOf(folder), command.file, ...command.args],
  };
}
