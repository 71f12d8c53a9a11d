import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const MEGABYTE = 1024 ** 2;

/** Memory of a process in MB; 0 where the system does not say. */
export function measureRss(pid: number | null): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return (Number(pages) * PAGE_BYTES) / MEGABYTE;
  } catch {
    return 0;
  }
}
