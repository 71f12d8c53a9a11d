import { readdirSync, readFileSync } from 'node:fs';
import { measureRss } from './measure-rss.js';

/** Returns the resident memory of a process and of those that it started, in MB. Pages that they share count for each of them. */
export function measureFamilyRss(pid: number | null): number {
  return [pid, ...listChildren(pid)].reduce((sum: number, one) => sum + measureRss(one), 0);
}

/** A kernel that keeps a list of children spares a look at every process of the system, which would burden what is measured. */
function listChildren(pid: number | null): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g)?.map(Number) ?? [];
  } catch {
    const all = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && readParent(entry) === pid);
    return all.map(Number);
  }
}

function readParent(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
