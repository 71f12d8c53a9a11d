import { readdirSync, readFileSync } from 'node:fs';
import { rssOf } from './rss-of.js';

/** Returns the resident memory of a process and of those that it started, in MB. Pages that they share count for each of them. */
export function familyRssOf(pid: number | null): number {
  const children = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === pid);
  return [pid, ...children.map(Number)].reduce((sum: number, one) => sum + rssOf(one), 0);
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
