import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const GRACE_MS = 5_000;
const POLL_MS = 50;

/**
 * Ends the server of an earlier run, if the process of that number is still this server. Returns `other-process` when another
 * process has the number, so that the pid file is stale.
 */
async function stopLeftover(
  pid: number,
  isExpected: (command: string) => boolean,
  signal: NodeJS.Signals,
): Promise<'ended' | 'other-process'> {
  const isAlive = (): boolean => isExpected(readCommandLine(pid) ?? '');
  if (!isAlive()) {
    return readCommandLine(pid) === null ? 'ended' : 'other-process';
  }
  process.kill(pid, signal);
  const until = Date.now() + GRACE_MS;
  while (isAlive()) {
    if (Date.now() > until) {
      process.kill(pid, 'SIGKILL');
    }
    await sleep(POLL_MS);
  }
  return 'ended';
}

/** Ends the server whose process id an earlier run left in a file. Returns `no-file` when there is none. */
export async function stopLeftoverOfFile(
  file: string,
  isExpected: (command: string) => boolean,
  signal: NodeJS.Signals,
): Promise<'ended' | 'other-process' | 'no-file'> {
  if (!fs.existsSync(file)) {
    return 'no-file';
  }
  const pid = Number.parseInt(fs.readFileSync(file, 'utf8'), 10);
  return pid > 0 ? stopLeftover(pid, isExpected, signal) : 'ended';
}

/** Reads the command line of a process as one text; null when there is no such process. */
export function readCommandLine(pid: number): string | null {
  try {
    if (fs.existsSync('/proc/self/cmdline')) {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || null;
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}
