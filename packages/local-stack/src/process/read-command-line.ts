import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

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
