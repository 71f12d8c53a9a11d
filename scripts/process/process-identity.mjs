import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/**
 * Returns the start time of a process, as a text to compare; null when it is gone (or only waits to be reaped).
 * Number and start together name a process for good, a number alone is given out again.
 * @param {number} pid
 * @returns {string | null}
 */
export function startedAt(pid) {
  if (fs.existsSync('/proc/self/stat')) {
    try {
      // proc(5): the name in parentheses may hold anything; behind it the state comes first, the start time 20th.
      const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
      return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
    } catch {
      return null;
    }
  }
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
}
